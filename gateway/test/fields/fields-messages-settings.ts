/** Fields of a whole messages call. */
import type { FieldCases } from './field-case.ts';
import { schema } from './samples.ts';

const ephemeral = { type: 'ephemeral' };

export const messagesSettings = {
  cache_control: {
    said: { cache_control: ephemeral },
    about: 'Where a dialect has no markers, its cache works without them, or there is none.',
    becomes: { else: 'omitted' },
  },
  diagnostics: { said: { diagnostics: { a: 1 } }, param: 'diagnostics', becomes: { else: 'rejected' } },
  inference_geo: { said: { inference_geo: 'eu' }, becomes: { else: 'rejected' } },
  'metadata.user_id': {
    said: { metadata: { user_id: 'ada' } },
    about: 'Providers without a field for the end user do not get one.',
    becomes: { mistral: 'omitted', openai: 'user', 'openai-responses': 'user', else: 'omitted' },
  },
  'metadata, another field': { said: { metadata: { department: 'x' } }, becomes: { else: 'rejected' } },
  'output_config.effort': {
    said: { output_config: { effort: 'high' } },
    about: '`groq`, `mistral` and `xai` get it for models that are known to think.',
    becomes: {
      groq: 'omitted',
      mistral: 'omitted',
      xai: 'omitted',
      openai: 'reasoning_effort',
      'openai-responses': { include: ['reasoning.encrypted_content'], 'reasoning.effort': 'high' },
      deepseek: { 'thinking.type': 'enabled', reasoning_effort: 'high' },
      google: { 'generationConfig.thinkingConfig': { includeThoughts: false, thinkingBudget: 24576 } },
      bedrock: { 'additionalModelRequestFields.thinking': { type: 'enabled', budget_tokens: 2000 } },
      else: 'omitted',
    },
  },
  'output_config.format': {
    said: { output_config: { format: { type: 'json_schema', schema } } },
    becomes: {
      openai: {
        response_format: {
          type: 'json_schema',
          json_schema: {
            name: 'answer',
            schema: {
              type: 'object',
              properties: { city: { type: 'string' } },
              required: ['city'],
              additionalProperties: false,
            },
          },
        },
      },
      'openai-responses': {
        'text.format': {
          type: 'json_schema',
          name: 'answer',
          schema: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
        },
      },
      deepseek: 'rejected',
      google: {
        'generationConfig.responseMimeType': 'application/json',
        'generationConfig.responseJsonSchema': {
          type: 'object',
          properties: { city: { type: 'string' } },
          required: ['city'],
          additionalProperties: false,
        },
      },
      bedrock: {
        'outputConfig.textFormat': {
          type: 'json_schema',
          structure: {
            jsonSchema: {
              schema:
                '{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}',
            },
          },
        },
      },
    },
  },
  'output_config, another field': {
    said: { output_config: { x_made_up: 1 } },
    becomes: { else: 'rejected' },
  },
  output_format: {
    said: { output_format: { type: 'json_schema', schema } },
    param: 'output_config.format',
    becomes: {
      openai: {
        response_format: {
          type: 'json_schema',
          json_schema: {
            name: 'answer',
            schema: {
              type: 'object',
              properties: { city: { type: 'string' } },
              required: ['city'],
              additionalProperties: false,
            },
          },
        },
      },
      'openai-responses': {
        'text.format': {
          type: 'json_schema',
          name: 'answer',
          schema: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
        },
      },
      deepseek: 'rejected',
      google: {
        'generationConfig.responseMimeType': 'application/json',
        'generationConfig.responseJsonSchema': {
          type: 'object',
          properties: { city: { type: 'string' } },
          required: ['city'],
          additionalProperties: false,
        },
      },
      bedrock: {
        'outputConfig.textFormat': {
          type: 'json_schema',
          structure: {
            jsonSchema: {
              schema:
                '{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}',
            },
          },
        },
      },
    },
  },
  'service_tier: auto': {
    said: { service_tier: 'auto' },
    about: 'The standard tier.',
    becomes: { else: 'omitted' },
  },
  'speed: fast': { said: { speed: 'fast' }, becomes: { else: 'rejected' } },
  'speed: standard': {
    said: { speed: 'standard' },
    about: 'The standard speed.',
    becomes: { else: 'omitted' },
  },
  stop_sequences: {
    said: { stop_sequences: ['END'] },
    becomes: {
      xai: 'rejected',
      openai: 'stop',
      google: 'generationConfig.stopSequences',
      bedrock: {
        'inferenceConfig.stopSequences': ['END'],
        additionalModelResponseFieldPaths: ['/stop_sequence', '/delta/stop_sequence'],
      },
      else: 'rejected',
    },
  },
  system: {
    said: { system: 'Be brief' },
    becomes: {
      openai: { 'messages[0]': { role: 'system', content: 'Be brief' } },
      'openai-responses': { 'input[0]': { role: 'system', content: 'Be brief' } },
      google: { 'systemInstruction.parts': [{ text: 'Be brief' }] },
      bedrock: { system: [{ text: 'Be brief' }] },
    },
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
      vllm: 'top_k',
      'llama.cpp': 'top_k',
      openrouter: 'top_k',
      openai: 'rejected',
      'openai-responses': 'rejected',
      google: 'generationConfig.topK',
      bedrock: 'additionalModelRequestFields.top_k',
      else: 'top_k',
    },
  },
  'thinking: enabled': {
    said: { thinking: { type: 'enabled', budget_tokens: 2_000 } },
    about: '`groq`, `mistral` and `xai` get it for models that are known to think.',
    becomes: {
      groq: 'omitted',
      mistral: 'omitted',
      xai: 'omitted',
      openai: { reasoning_effort: 'low' },
      'openai-responses': {
        include: ['reasoning.encrypted_content'],
        reasoning: { effort: 'low', summary: 'auto' },
      },
      deepseek: { 'thinking.type': 'enabled', reasoning_effort: 'high' },
      google: { 'generationConfig.thinkingConfig': { includeThoughts: true, thinkingBudget: 2000 } },
      bedrock: 'additionalModelRequestFields.thinking',
      else: 'omitted',
    },
  },
  'thinking: adaptive': {
    said: { thinking: { type: 'adaptive' } },
    about:
      'The model decides how much it thinks, which is the default of servers whose model is not known. [Known models](#thinking-by-model) get it in their form.',
    becomes: {
      openai: 'omitted',
      'openai-responses': { include: ['reasoning.encrypted_content'], 'reasoning.summary': 'auto' },
      deepseek: { 'thinking.type': 'enabled' },
      google: { 'generationConfig.thinkingConfig.includeThoughts': true },
      bedrock: { 'additionalModelRequestFields.thinking': { type: 'enabled', budget_tokens: 2000 } },
    },
  },
  'thinking: adaptive with effort': {
    beside: { output_config: { effort: 'low' } },
    said: { thinking: { type: 'adaptive' } },
    about: 'The effort says it.',
    becomes: {
      'openai-responses': { 'reasoning.summary': 'auto' },
      google: { 'generationConfig.thinkingConfig.includeThoughts': true },
      else: 'omitted',
    },
  },
  'thinking: disabled': {
    said: { thinking: { type: 'disabled' } },
    about:
      'Servers of whose model nothing is known may have no word for it. [Known models](#thinking-by-model) get it in their form.',
    becomes: {
      openai: 'omitted',
      'openai-responses': { include: ['reasoning.encrypted_content'], 'reasoning.effort': 'none' },
      deepseek: 'thinking.type',
      google: { 'generationConfig.thinkingConfig': { includeThoughts: false, thinkingBudget: 0 } },
      bedrock: 'additionalModelRequestFields.thinking.type',
    },
  },
  'thinking.display': {
    beside: { thinking: { type: 'enabled', budget_tokens: 2_000 } },
    said: { thinking: { type: 'enabled', budget_tokens: 2_000, display: 'omitted' } },
    about: 'Thoughts are always shown by other dialects.',
    becomes: {
      'openai-responses': { 'reasoning.summary': '(gone)' },
      google: { 'generationConfig.thinkingConfig.includeThoughts': false },
      else: 'omitted',
    },
  },
  'thinking, another field': {
    beside: { thinking: { type: 'enabled', budget_tokens: 2_000 } },
    said: { thinking: { type: 'enabled', budget_tokens: 2_000, x_made_up: 1 } },
    becomes: { else: 'rejected' },
  },
  compaction: { said: { compaction: { a: 1 } }, param: 'compaction', becomes: { else: 'rejected' } },
  context_management: {
    said: { context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] } },
    about: 'Says which of its own earlier thoughts and results Anthropic should keep.',
    becomes: { else: 'omitted' },
  },
  fallbacks: { said: { fallbacks: [{ model: 'm' }] }, becomes: { else: 'rejected' } },
  fallback_credit_token: { said: { fallback_credit_token: 'x' }, becomes: { else: 'rejected' } },
  mcp_servers: {
    said: { mcp_servers: [{ type: 'url', url: 'https://example.com', name: 'm' }] },
    becomes: { else: 'rejected' },
  },
  user_profile_id: { said: { user_profile_id: 'p' }, becomes: { else: 'rejected' } },
  workspace_id: { said: { workspace_id: 'w' }, becomes: { else: 'rejected' } },
  'a field that nobody knows': { said: { x_made_up: 1 }, becomes: { else: 'rejected' } },
} as const satisfies FieldCases;
