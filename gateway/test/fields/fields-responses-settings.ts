/** Fields of a whole responses call. */
import type { FieldCases } from './field-case.ts';
import { responsesLoop, responsesTool, schema } from './samples.ts';

const tools = [responsesTool('look')];
/** Of the end user. */
const tag = {
  'openai-compatible': 'user',
  mistral: 'omitted',
  anthropic: 'metadata.user_id',
  else: 'omitted',
};

export const responsesSettings = {
  access_programs: { said: { access_programs: ['x'] }, becomes: { else: 'rejected' } },
  client_metadata: {
    said: { client_metadata: { session_id: 's' } },
    about: "Describes an agent's session to OpenAI.",
    becomes: { else: 'omitted' },
  },
  context_management: {
    said: { context_management: [{ type: 'compaction', compact_threshold: 1000 }] },
    becomes: { else: 'rejected' },
  },
  image: { said: { image: { a: 1 } }, param: 'image', becomes: { else: 'rejected' } },
  include: {
    said: { include: ['reasoning.encrypted_content'] },
    about: 'Sealed thoughts are always returned.',
    becomes: { else: 'omitted' },
  },
  'include: logprobs': { said: { include: ['message.output_text.logprobs'] }, becomes: { else: 'rejected' } },
  instructions: {
    said: { instructions: 'Be brief' },
    becomes: {
      'openai-compatible': { 'messages[0]': { role: 'system', content: 'Be brief' } },
      anthropic: { system: [{ type: 'text', text: 'Be brief' }] },
      google: { 'systemInstruction.parts': [{ text: 'Be brief' }] },
      bedrock: { system: [{ text: 'Be brief' }] },
    },
  },
  max_output_tokens: {
    said: { max_output_tokens: 500 },
    becomes: {
      groq: 'max_completion_tokens',
      xai: 'max_completion_tokens',
      google: 'generationConfig.maxOutputTokens',
      bedrock: 'inferenceConfig.maxTokens',
      else: 'max_tokens',
    },
  },
  max_tool_calls: { said: { max_tool_calls: 2 }, becomes: { else: 'rejected' } },
  metadata: {
    said: { metadata: { a: 'b' } },
    about: 'Kept with the response and returned.',
    becomes: { else: 'omitted' },
  },
  moderation: { said: { moderation: { model: 'm' } }, param: 'moderation', becomes: { else: 'rejected' } },
  prompt_cache_key: { said: { prompt_cache_key: 'k' }, about: "OpenAI's own.", becomes: { else: 'omitted' } },
  prompt_cache_options: {
    said: { prompt_cache_options: { mode: 'explicit', ttl: '30m' } },
    about: "OpenAI's own.",
    becomes: { else: 'omitted' },
  },
  prompt_cache_retention: {
    said: { prompt_cache_retention: '24h' },
    about: "OpenAI's own.",
    becomes: { else: 'omitted' },
  },
  'reasoning.effort': {
    said: { reasoning: { effort: 'high' } },
    about:
      'Relayed with a request for sealed thoughts. `groq`, `mistral` and `xai` get it for models that are known to think.',
    relayed: { 'reasoning.effort': 'high', include: ['reasoning.encrypted_content'] },
    becomes: {
      'openai-compatible': 'reasoning_effort',
      groq: 'omitted',
      mistral: 'omitted',
      deepseek: { 'thinking.type': 'enabled', reasoning_effort: 'high' },
      xai: 'omitted',
      anthropic: { max_tokens: 20480, thinking: { type: 'enabled', budget_tokens: 16384 } },
      google: { 'generationConfig.thinkingConfig': { includeThoughts: false, thinkingBudget: 24576 } },
      bedrock: {
        'inferenceConfig.maxTokens': 20480,
        'additionalModelRequestFields.thinking': { type: 'enabled', budget_tokens: 16384 },
      },
      else: 'omitted',
    },
  },
  'reasoning.effort: none': {
    said: { reasoning: { effort: 'none' } },
    about:
      'Relayed with a request for sealed thoughts. `groq`, `mistral` and `xai` get it for models that are known to think.',
    relayed: { 'reasoning.effort': 'none', include: ['reasoning.encrypted_content'] },
    becomes: {
      'openai-compatible': 'reasoning_effort',
      groq: 'omitted',
      mistral: 'omitted',
      deepseek: { 'thinking.type': 'disabled' },
      xai: 'omitted',
      anthropic: { 'thinking.type': 'disabled' },
      google: { 'generationConfig.thinkingConfig': { includeThoughts: false, thinkingBudget: 0 } },
      bedrock: { 'additionalModelRequestFields.thinking.type': 'disabled' },
      else: 'omitted',
    },
  },
  'reasoning.summary': {
    beside: { reasoning: { effort: 'high' } },
    said: { reasoning: { effort: 'high', summary: 'auto' } },
    about: 'Thoughts are always shown by other dialects.',
    becomes: { google: { 'generationConfig.thinkingConfig.includeThoughts': true }, else: 'omitted' },
  },
  'reasoning.generate_summary': {
    beside: { reasoning: { effort: 'high' } },
    said: { reasoning: { effort: 'high', generate_summary: 'auto' } },
    about: 'Thoughts are always shown by other dialects.',
    becomes: { google: { 'generationConfig.thinkingConfig.includeThoughts': true }, else: 'omitted' },
  },
  'reasoning.summary alone': {
    said: { reasoning: { summary: 'auto' } },
    about: 'Thoughts are always shown by other dialects.',
    relayed: { 'reasoning.summary': 'auto', include: ['reasoning.encrypted_content'] },
    becomes: {
      deepseek: { 'thinking.type': 'enabled' },
      google: { 'generationConfig.thinkingConfig.includeThoughts': true },
      else: 'omitted',
    },
  },
  'reasoning.context': {
    said: { reasoning: { context: 'all_turns' } },
    about: 'Relayed with a request for sealed thoughts.',
    relayed: { 'reasoning.context': 'all_turns', include: ['reasoning.encrypted_content'] },
    becomes: { else: 'rejected' },
  },
  'reasoning.mode': {
    said: { reasoning: { mode: 'x' } },
    about: 'Relayed with a request for sealed thoughts.',
    relayed: { 'reasoning.mode': 'x', include: ['reasoning.encrypted_content'] },
    becomes: { else: 'rejected' },
  },
  safety_identifier: {
    said: { safety_identifier: 'ada' },
    about: 'Providers without a field for the end user do not get one.',
    becomes: tag,
  },
  user: {
    said: { user: 'ada' },
    about: 'Providers without a field for the end user do not get one.',
    becomes: tag,
  },
  'service_tier: flex': {
    said: { service_tier: 'flex' },
    becomes: { bedrock: 'serviceTier.type', else: 'rejected' },
  },
  'service_tier: auto': {
    said: { service_tier: 'auto' },
    about: 'The standard tier.',
    becomes: { else: 'omitted' },
  },
  'stream_options.include_obfuscation': {
    beside: { stream: true },
    said: { stream_options: { include_obfuscation: false } },
    about: 'Padding between the provider and the gateway. The gateway writes its own stream.',
    becomes: { else: 'omitted' },
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
  frequency_penalty: {
    said: { frequency_penalty: 0.5 },
    becomes: {
      'openai-compatible': 'frequency_penalty',
      xai: 'rejected',
      google: 'generationConfig.frequencyPenalty',
      else: 'rejected',
    },
  },
  presence_penalty: {
    said: { presence_penalty: 0.5 },
    becomes: {
      'openai-compatible': 'presence_penalty',
      xai: 'rejected',
      google: 'generationConfig.presencePenalty',
      else: 'rejected',
    },
  },
  'text.format: json_object': {
    said: { text: { format: { type: 'json_object' } } },
    param: 'text.format',
    becomes: {
      'openai-compatible': 'response_format.type',
      google: { 'generationConfig.responseMimeType': 'application/json' },
      else: 'rejected',
    },
  },
  'text.format: json_schema': {
    said: {
      text: { format: { type: 'json_schema', name: 'place', description: 'A place', schema, strict: true } },
    },
    becomes: {
      'openai-compatible': {
        response_format: {
          type: 'json_schema',
          json_schema: {
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
      },
      deepseek: 'rejected',
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
  response_format: {
    said: { response_format: { type: 'json_object' } },
    param: 'text.format',
    about: 'Relayed as `text.format`.',
    relayed: 'text.format.type',
    becomes: {
      'openai-compatible': 'response_format.type',
      google: { 'generationConfig.responseMimeType': 'application/json' },
      else: 'rejected',
    },
  },
  'text.verbosity': {
    said: { text: { verbosity: 'low' } },
    becomes: { 'openai-compatible': 'verbosity', else: 'rejected' },
  },
  top_logprobs: { said: { top_logprobs: 3 }, becomes: { else: 'rejected' } },
  truncation: { said: { truncation: 'auto' }, becomes: { else: 'rejected' } },
  'truncation: disabled': {
    said: { truncation: 'disabled' },
    about: 'The default.',
    becomes: { else: 'omitted' },
  },
  'a field that nobody knows': { said: { x_made_up: 1 }, becomes: { else: 'rejected' } },
  'function_call, another field': {
    beside: { tools, input: responsesLoop() },
    said: { input: responsesLoop({ call: { x_made_up: 1 } }) },
    becomes: { else: 'rejected' },
  },
  'function_call_output, another field': {
    beside: { tools, input: responsesLoop() },
    said: { input: responsesLoop({ result: { x_made_up: 1 } }) },
    becomes: { else: 'rejected' },
  },
} as const satisfies FieldCases;
