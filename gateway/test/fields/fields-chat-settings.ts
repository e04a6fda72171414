/** Fields of a whole chat call. */
import type { FieldCases } from './field-case.ts';
import { schema } from './samples.ts';

const chatFormat = (more: object): object => ({
  type: 'json_schema',
  json_schema: { name: 'place', schema, ...more },
});

export const chatSettings = {
  audio: { said: { audio: { voice: 'alloy', format: 'mp3' } }, becomes: { else: 'rejected' } },
  frequency_penalty: {
    said: { frequency_penalty: 0.5 },
    becomes: { google: 'generationConfig.frequencyPenalty', else: 'rejected' },
  },
  'frequency_penalty: 0': {
    said: { frequency_penalty: 0 },
    about: 'The default.',
    becomes: { google: 'generationConfig.frequencyPenalty', else: 'omitted' },
  },
  presence_penalty: {
    said: { presence_penalty: 0.5 },
    becomes: { google: 'generationConfig.presencePenalty', else: 'rejected' },
  },
  logit_bias: { said: { logit_bias: { 1: 5 } }, param: 'logit_bias', becomes: { else: 'rejected' } },
  logprobs: { said: { logprobs: true }, becomes: { else: 'rejected' } },
  top_logprobs: { said: { top_logprobs: 3 }, becomes: { else: 'rejected' } },
  max_completion_tokens: {
    said: { max_completion_tokens: 500 },
    about: 'Relayed in the field that the server or the catalogue names.',
    becomes: {
      'openai-responses': 'max_output_tokens',
      anthropic: 'max_tokens',
      google: 'generationConfig.maxOutputTokens',
      bedrock: 'inferenceConfig.maxTokens',
      'openai-compatible': 'max_tokens',
      vllm: 'max_tokens',
      ollama: 'max_tokens',
      'llama.cpp': 'max_tokens',
      mistral: 'max_tokens',
      deepseek: 'max_tokens',
      openrouter: 'max_tokens',
    },
  },
  max_tokens: {
    said: { max_tokens: 500 },
    becomes: {
      'openai-responses': 'max_output_tokens',
      anthropic: 'max_tokens',
      google: 'generationConfig.maxOutputTokens',
      bedrock: 'inferenceConfig.maxTokens',
    },
  },
  metadata: { said: { metadata: { a: 'b' } }, param: 'metadata', becomes: { else: 'rejected' } },
  modalities: {
    said: { modalities: ['text'] },
    about: 'Whether a model answers with images is in the catalogue.',
    becomes: { else: 'omitted' },
  },
  'modalities with audio': { said: { modalities: ['text', 'audio'] }, becomes: { else: 'rejected' } },
  moderation: { said: { moderation: { model: 'm' } }, param: 'moderation', becomes: { else: 'rejected' } },
  n: { said: { n: 2 }, becomes: { google: 'generationConfig.candidateCount', else: 'rejected' } },
  prediction: { said: { prediction: { type: 'content', content: 'Yes' } }, becomes: { else: 'rejected' } },
  prompt_cache_key: {
    said: { prompt_cache_key: 'k' },
    about: "OpenAI's own.",
    becomes: { 'openai-responses': 'prompt_cache_key', else: 'omitted' },
  },
  prompt_cache_options: {
    said: { prompt_cache_options: { mode: 'explicit', ttl: '30m' } },
    about: "OpenAI's own.",
    becomes: { 'openai-responses': 'prompt_cache_options', else: 'omitted' },
  },
  prompt_cache_retention: {
    said: { prompt_cache_retention: '24h' },
    about: "OpenAI's own.",
    becomes: { 'openai-responses': 'prompt_cache_retention', else: 'omitted' },
  },
  reasoning_effort: {
    said: { reasoning_effort: 'high' },
    about: 'Models of `groq`, `mistral` and `xai` get it if they are known to think.',
    becomes: {
      'openai-responses': {
        include: ['reasoning.encrypted_content'],
        reasoning: { effort: 'high', summary: 'auto' },
      },
      anthropic: { max_tokens: 20480, thinking: { type: 'enabled', budget_tokens: 16384 } },
      google: { 'generationConfig.thinkingConfig': { includeThoughts: true, thinkingBudget: 24576 } },
      bedrock: {
        'inferenceConfig.maxTokens': 20480,
        'additionalModelRequestFields.thinking': { type: 'enabled', budget_tokens: 16384 },
      },
      groq: 'omitted',
      mistral: 'omitted',
      xai: 'omitted',
    },
  },
  'reasoning_effort: none': {
    said: { reasoning_effort: 'none' },
    about: 'Models of `groq`, `mistral` and `xai` get it if they are known to think.',
    becomes: {
      'openai-responses': {
        include: ['reasoning.encrypted_content'],
        reasoning: { effort: 'none', summary: 'auto' },
      },
      anthropic: { 'thinking.type': 'disabled' },
      google: { 'generationConfig.thinkingConfig': { includeThoughts: false, thinkingBudget: 0 } },
      bedrock: { 'additionalModelRequestFields.thinking.type': 'disabled' },
      groq: 'omitted',
      mistral: 'omitted',
      deepseek: { 'thinking.type': 'disabled' },
      xai: 'omitted',
    },
  },
  'response_format: json_object': {
    said: { response_format: { type: 'json_object' } },
    param: 'response_format',
    becomes: {
      'openai-responses': 'text.format.type',
      google: { 'generationConfig.responseMimeType': 'application/json' },
      else: 'rejected',
    },
  },
  'response_format: json_schema': {
    said: {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'place', description: 'A place', schema, strict: true },
      },
    },
    becomes: {
      'openai-responses': {
        'text.format': {
          type: 'json_schema',
          name: 'place',
          schema: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
          description: 'A place',
          strict: true,
        },
      },
      anthropic: {
        'output_config.format': {
          type: 'json_schema',
          schema: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
            description: 'A place',
          },
        },
      },
      google: {
        generationConfig: {
          responseMimeType: 'application/json',
          responseJsonSchema: {
            description: 'A place',
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
        },
      },
      bedrock: {
        'outputConfig.textFormat': {
          type: 'json_schema',
          structure: {
            jsonSchema: {
              schema:
                '{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}',
              name: 'place',
              description: 'A place',
            },
          },
        },
      },
    },
  },
  'response_format.json_schema.name': {
    beside: { response_format: chatFormat({}) },
    said: { response_format: chatFormat({ name: 'town' }) },
    about: 'A hint without a field there.',
    becomes: {
      'openai-responses': 'text.format.name',
      bedrock: 'outputConfig.textFormat.structure.jsonSchema.name',
      else: 'omitted',
    },
  },
  'response_format.json_schema.description': {
    beside: { response_format: chatFormat({}) },
    said: { response_format: chatFormat({ description: 'A place' }) },
    becomes: {
      'openai-responses': 'text.format.description',
      anthropic: 'output_config.format.schema.description',
      google: 'generationConfig.responseJsonSchema.description',
      bedrock: 'outputConfig.textFormat.structure.jsonSchema.description',
    },
  },
  'response_format.json_schema.strict': {
    beside: { response_format: chatFormat({}) },
    said: { response_format: chatFormat({ strict: true }) },
    about: 'A schema for an answer is always enforced there.',
    becomes: { 'openai-responses': 'text.format.strict', else: 'omitted' },
  },
  safety_identifier: {
    said: { safety_identifier: 'ada' },
    about: 'Providers without a field for the end user do not get one.',
    becomes: { 'openai-responses': 'user', anthropic: 'metadata.user_id', else: 'omitted' },
  },
  user: {
    said: { user: 'ada' },
    about: 'Providers without a field for the end user do not get one.',
    becomes: { 'openai-responses': 'user', anthropic: 'metadata.user_id', else: 'omitted' },
  },
  seed: { said: { seed: 7 }, becomes: { google: 'generationConfig.seed', else: 'rejected' } },
  'service_tier: flex': {
    said: { service_tier: 'flex' },
    becomes: { 'openai-responses': 'service_tier', bedrock: 'serviceTier.type', else: 'rejected' },
  },
  'service_tier: auto': {
    said: { service_tier: 'auto' },
    about: 'The standard tier.',
    becomes: { else: 'omitted' },
  },
  stop: {
    said: { stop: ['END'] },
    becomes: {
      'openai-responses': 'rejected',
      anthropic: 'stop_sequences',
      google: 'generationConfig.stopSequences',
      bedrock: {
        'inferenceConfig.stopSequences': ['END'],
        additionalModelResponseFieldPaths: ['/stop_sequence', '/delta/stop_sequence'],
      },
    },
  },
  store: {
    said: { store: true },
    about: 'Nothing is stored at a provider; relayed as `false`.',
    relayed: { store: false },
    becomes: { else: 'omitted' },
  },
  'stream_options.include_obfuscation': {
    beside: { stream: true },
    said: { stream_options: { include_obfuscation: false } },
    about: 'Padding between the provider and the gateway. The gateway writes its own stream.',
    becomes: { mistral: 'omitted', else: 'omitted' },
  },
  temperature: {
    said: { temperature: 0.5 },
    becomes: {
      google: 'generationConfig.temperature',
      bedrock: 'inferenceConfig.temperature',
      else: 'temperature',
    },
  },
  top_p: {
    said: { top_p: 0.5 },
    becomes: { google: 'generationConfig.topP', bedrock: 'inferenceConfig.topP', else: 'top_p' },
  },
  top_k: {
    said: { top_k: 5 },
    becomes: {
      'openai-responses': 'rejected',
      anthropic: 'top_k',
      google: 'generationConfig.topK',
      bedrock: 'additionalModelRequestFields.top_k',
    },
  },
  verbosity: {
    said: { verbosity: 'low' },
    becomes: { 'openai-responses': 'text.verbosity', else: 'rejected' },
  },
  web_search_options: {
    said: { web_search_options: { search_context_size: 'low' } },
    param: 'web_search_options',
    becomes: { else: 'rejected' },
  },
  'web_search_options: {}': { said: { web_search_options: {} }, becomes: { else: 'rejected' } },
  'a field that nobody knows': { said: { x_made_up: 1 }, becomes: { else: 'rejected' } },
} as const satisfies FieldCases;
