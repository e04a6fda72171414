/** What a messages call says about tools. */
import type { FieldCases } from './field-case.ts';
import { messagesLoop, messagesTool } from './samples.ts';

const tools = [messagesTool('look')];
const twoTools = [messagesTool('look'), messagesTool('ask')];
const ephemeral = { type: 'ephemeral' };

export const messagesTools = {
  tools: {
    said: { tools },
    becomes: {
      openai: {
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
      'openai-responses': {
        tools: [
          {
            type: 'function',
            name: 'look',
            parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
            strict: false,
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
    said: { tool_choice: { type: 'none' } },
    about: 'Converse has no such choice, so it gets no tools, or [finished ones](#amazon-bedrock).',
    becomes: {
      google: { 'toolConfig.functionCallingConfig.mode': 'NONE' },
      bedrock: { toolConfig: '(gone)' },
      else: 'tool_choice',
    },
  },
  'tool_choice: any': {
    beside: { tools },
    said: { tool_choice: { type: 'any' } },
    becomes: {
      mistral: 'tool_choice',
      deepseek: { tool_choice: 'required', 'thinking.type': 'disabled' },
      google: { 'toolConfig.functionCallingConfig.mode': 'ANY' },
      bedrock: { 'toolConfig.toolChoice.any': {} },
      else: { tool_choice: 'required' },
    },
  },
  'tool_choice: tool': {
    beside: { tools },
    said: { tool_choice: { type: 'tool', name: 'look' } },
    becomes: {
      openai: { tool_choice: { type: 'function', function: { name: 'look' } } },
      'openai-responses': { tool_choice: { type: 'function', name: 'look' } },
      deepseek: {
        tool_choice: { type: 'function', function: { name: 'look' } },
        'thinking.type': 'disabled',
      },
      google: { 'toolConfig.functionCallingConfig': { mode: 'ANY', allowedFunctionNames: ['look'] } },
      bedrock: { 'toolConfig.toolChoice.tool.name': 'look' },
    },
  },
  'disable_parallel_tool_use, one tool': {
    beside: { tools, tool_choice: { type: 'auto' } },
    said: { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
    about:
      'A single tool is hardly ever called in parallel, and libraries that fill a schema forbid it by habit.',
    becomes: {
      google: 'omitted',
      bedrock: {
        'toolConfig.toolChoice': '(gone)',
        'additionalModelRequestFields.tool_choice': { type: 'auto', disable_parallel_tool_use: true },
      },
      else: { parallel_tool_calls: false },
    },
  },
  'disable_parallel_tool_use, two tools': {
    beside: { tools: twoTools, tool_choice: { type: 'auto' } },
    said: { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
    becomes: {
      google: 'rejected',
      bedrock: {
        'toolConfig.toolChoice': '(gone)',
        'additionalModelRequestFields.tool_choice': { type: 'auto', disable_parallel_tool_use: true },
      },
      else: { parallel_tool_calls: false },
    },
  },
  'disable_parallel_tool_use: false': {
    beside: { tools: twoTools, tool_choice: { type: 'auto' } },
    said: { tool_choice: { type: 'auto', disable_parallel_tool_use: false } },
    about: 'Calls in parallel are allowed by default.',
    becomes: { else: 'omitted' },
  },
  'tool_choice, another field': {
    beside: { tools, tool_choice: { type: 'auto' } },
    said: { tool_choice: { type: 'auto', x_made_up: 1 } },
    becomes: { else: 'rejected' },
  },
  'tools[].description': {
    beside: { tools },
    said: { tools: [messagesTool('look', { description: 'Looks' })] },
    becomes: {
      openai: 'tools[0].function.description',
      'openai-responses': 'tools[0].description',
      google: 'tools[0].functionDeclarations[0].description',
      bedrock: 'toolConfig.tools[0].toolSpec.description',
    },
  },
  'tools[].strict': {
    beside: { tools },
    said: { tools: [messagesTool('look', { strict: true })] },
    about: 'A hint without a field there.',
    becomes: {
      openai: 'tools[0].function.strict',
      'openai-responses': 'tools[0].strict',
      google: 'omitted',
      bedrock: {
        'toolConfig.tools[0].toolSpec.inputSchema.json.additionalProperties': false,
        'toolConfig.tools[0].toolSpec.strict': true,
      },
    },
  },
  'tools[].cache_control': {
    beside: { tools },
    said: { tools: [messagesTool('look', { cache_control: ephemeral })] },
    about: 'Where a dialect has no markers, its cache works without them, or there is none.',
    becomes: { bedrock: { 'toolConfig.tools[1]': { cachePoint: { type: 'default' } } }, else: 'omitted' },
  },
  'tools[].eager_input_streaming': {
    beside: { tools },
    said: { tools: [messagesTool('look', { eager_input_streaming: true })] },
    about: 'Arguments arrive as the provider sends them.',
    becomes: { else: 'omitted' },
  },
  'tools[].allowed_callers': {
    beside: { tools },
    said: { tools: [messagesTool('look', { allowed_callers: ['direct'] })] },
    about: 'Says that the model calls the tool itself, as everywhere else.',
    becomes: { else: 'omitted' },
  },
  'tools[].input_examples': {
    beside: { tools },
    said: { tools: [messagesTool('look', { input_examples: [{ city: 'Seoul' }] })] },
    becomes: { else: 'rejected' },
  },
  'tools[].defer_loading': {
    beside: { tools: twoTools },
    said: { tools: [messagesTool('look'), messagesTool('ask', { defer_loading: true })] },
    about: 'Offered when the conversation refers to it.',
    becomes: {
      google: { 'tools[0].functionDeclarations[1]': '(gone)' },
      bedrock: { 'toolConfig.tools[1]': '(gone)' },
      else: { 'tools[1]': '(gone)' },
    },
  },
  'toolset_name of tool_use': {
    beside: { tools, messages: messagesLoop() },
    said: { messages: messagesLoop({ call: { toolset_name: 't' } }) },
    becomes: { else: 'rejected' },
  },
  'tool_use, another field': {
    beside: { tools, messages: messagesLoop() },
    said: { messages: messagesLoop({ call: { x_made_up: 1 } }) },
    becomes: { else: 'rejected' },
  },
  'toolset_name of tool_result': {
    beside: { tools, messages: messagesLoop() },
    said: { messages: messagesLoop({ result: { toolset_name: 't' } }) },
    becomes: { else: 'rejected' },
  },
  'tool_result, another field': {
    beside: { tools, messages: messagesLoop() },
    said: { messages: messagesLoop({ result: { x_made_up: 1 } }) },
    becomes: { else: 'rejected' },
  },
} as const satisfies FieldCases;
