/** What a responses call says about tools. */
import type { FieldCases } from './field-case.ts';
import { responsesTool, schema } from './samples.ts';

const tools = [responsesTool('look')];
const twoTools = [responsesTool('look'), responsesTool('ask')];

export const responsesTools = {
  'parallel_tool_calls: true': {
    beside: { tools: twoTools },
    said: { parallel_tool_calls: true },
    about: 'Calls in parallel are allowed by default.',
    becomes: { 'openai-compatible': 'parallel_tool_calls', else: 'omitted' },
  },
  'parallel_tool_calls: false, one tool': {
    beside: { tools },
    said: { parallel_tool_calls: false },
    about:
      'A single tool is hardly ever called in parallel, and libraries that fill a schema forbid it by habit.',
    becomes: {
      'openai-compatible': 'parallel_tool_calls',
      anthropic: { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
      google: 'omitted',
      bedrock: {
        'additionalModelRequestFields.tool_choice': { type: 'auto', disable_parallel_tool_use: true },
      },
    },
  },
  'parallel_tool_calls: false, two tools': {
    beside: { tools: twoTools },
    said: { parallel_tool_calls: false },
    becomes: {
      'openai-compatible': 'parallel_tool_calls',
      anthropic: { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
      google: 'rejected',
      bedrock: {
        'additionalModelRequestFields.tool_choice': { type: 'auto', disable_parallel_tool_use: true },
      },
    },
  },
  'parallel_tool_calls: false, no tools': {
    said: { parallel_tool_calls: false },
    about: 'There is nothing to call.',
    becomes: { else: 'omitted' },
  },
  tools: {
    said: { tools },
    becomes: {
      'openai-compatible': {
        tools: [
          {
            type: 'function',
            function: {
              name: 'look',
              parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
            },
          },
        ],
      },
      anthropic: {
        tools: [
          {
            name: 'look',
            input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
          },
        ],
      },
      google: {
        tools: [
          {
            functionDeclarations: [
              {
                name: 'look',
                parametersJsonSchema: {
                  type: 'object',
                  properties: { city: { type: 'string' } },
                  required: ['city'],
                },
              },
            ],
          },
        ],
      },
      bedrock: {
        'toolConfig.tools': [
          {
            toolSpec: {
              name: 'look',
              inputSchema: {
                json: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
              },
            },
          },
        ],
      },
    },
  },
  'tool_choice: none': {
    beside: { tools },
    said: { tool_choice: 'none' },
    about: 'Converse has no such choice, so it gets no tools, or [finished ones](#amazon-bedrock).',
    becomes: {
      'openai-compatible': 'tool_choice',
      anthropic: 'tool_choice.type',
      google: { 'toolConfig.functionCallingConfig.mode': 'NONE' },
      bedrock: { toolConfig: '(gone)' },
    },
  },
  'tool_choice: required': {
    beside: { tools },
    said: { tool_choice: 'required' },
    becomes: {
      'openai-compatible': 'tool_choice',
      mistral: { tool_choice: 'any' },
      deepseek: { tool_choice: 'required', 'thinking.type': 'disabled' },
      anthropic: { 'tool_choice.type': 'any' },
      google: { 'toolConfig.functionCallingConfig.mode': 'ANY' },
      bedrock: { 'toolConfig.toolChoice.any': {} },
    },
  },
  'tool_choice: function': {
    beside: { tools },
    said: { tool_choice: { type: 'function', name: 'look' } },
    becomes: {
      'openai-compatible': { tool_choice: { type: 'function', function: { name: 'look' } } },
      deepseek: {
        tool_choice: { type: 'function', function: { name: 'look' } },
        'thinking.type': 'disabled',
      },
      anthropic: { tool_choice: { type: 'tool', name: 'look' } },
      google: { 'toolConfig.functionCallingConfig': { mode: 'ANY', allowedFunctionNames: ['look'] } },
      bedrock: { 'toolConfig.toolChoice.tool.name': 'look' },
    },
  },
  'tool_choice: allowed_tools': {
    beside: { tools: twoTools },
    said: {
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'look' }] },
    },
    about: 'Only the allowed tools are offered.',
    becomes: {
      'openai-compatible': { 'tools[1]': '(gone)', tool_choice: 'auto' },
      anthropic: { 'tools[1]': '(gone)', 'tool_choice.type': 'auto' },
      google: {
        'tools[0].functionDeclarations[1]': '(gone)',
        'toolConfig.functionCallingConfig.mode': 'AUTO',
      },
      bedrock: { 'toolConfig.tools[1]': '(gone)', 'toolConfig.toolChoice.auto': {} },
    },
  },
  'tools[].description': {
    beside: { tools },
    said: { tools: [responsesTool('look', { description: 'Looks' })] },
    becomes: {
      'openai-compatible': 'tools[0].function.description',
      anthropic: 'tools[0].description',
      google: 'tools[0].functionDeclarations[0].description',
      bedrock: 'toolConfig.tools[0].toolSpec.description',
    },
  },
  'tools[].strict': {
    beside: { tools },
    said: { tools: [responsesTool('look', { strict: true })] },
    about: 'A hint without a field there.',
    becomes: {
      'openai-compatible': 'tools[0].function.strict',
      anthropic: { 'tools[0].input_schema.additionalProperties': false, 'tools[0].strict': true },
      google: 'omitted',
      bedrock: {
        'toolConfig.tools[0].toolSpec.inputSchema.json.additionalProperties': false,
        'toolConfig.tools[0].toolSpec.strict': true,
      },
    },
  },
  'tools[].allowed_callers': {
    beside: { tools },
    said: { tools: [responsesTool('look', { allowed_callers: ['direct'] })] },
    about: 'Says that the model calls the tool itself, as everywhere else.',
    becomes: { else: 'omitted' },
  },
  'tools[].async': {
    beside: { tools },
    said: { tools: [responsesTool('look', { async: true })] },
    becomes: { else: 'rejected' },
  },
  'tools[].defer_loading': {
    beside: { tools },
    said: { tools: [responsesTool('look', { defer_loading: true })] },
    becomes: { else: 'rejected' },
  },
  'tools[].output_schema': {
    beside: { tools },
    said: { tools: [responsesTool('look', { output_schema: schema })] },
    about: 'Describes the result, which the caller has.',
    becomes: { else: 'omitted' },
  },
  'tools[], another field': {
    beside: { tools },
    said: { tools: [responsesTool('look', { x_made_up: 1 })] },
    becomes: { else: 'rejected' },
  },
  'tools: web_search': {
    beside: { tools },
    said: { tools: [...tools, { type: 'web_search' }] },
    about: 'An offer: the model answers without it. Rejected if the search is required.',
    becomes: { else: 'omitted' },
  },
} as const satisfies FieldCases;
