/** How a chat call asks for thinking, and for the form of the answer. */
import type { FieldCases } from './field-case.ts';
import { schema } from './samples.ts';

const chatFormat = (more: object): object => ({
  type: 'json_schema',
  json_schema: { name: 'place', schema, ...more },
});

export const chatShape = {
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
  'reasoning_effort, another word': {
    said: { reasoning_effort: 'constructor' },
    becomes: {
      'openai-responses': {
        include: ['reasoning.encrypted_content'],
        reasoning: { effort: 'constructor', summary: 'auto' },
      },
      else: 'rejected',
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
  'response_format.json_schema, another field': {
    beside: { response_format: chatFormat({}) },
    said: { response_format: chatFormat({ x_made_up: 1 }) },
    becomes: { else: 'rejected' },
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
} as const satisfies FieldCases;
