/** What a chat call says about tools. */
import type { FieldCases } from './field-case.ts';
import { chatTool } from './samples.ts';

const tools = [chatTool('look')];
const twoTools = [chatTool('look'), chatTool('ask')];

export const chatTools = {
  function_call: { said: { function_call: 'auto' }, becomes: { else: 'rejected' } },
  functions: { said: { functions: [{ name: 'look' }] }, becomes: { else: 'rejected' } },
  'parallel_tool_calls: true': {
    beside: { tools: twoTools },
    said: { parallel_tool_calls: true },
    about: 'Calls in parallel are allowed by default.',
    becomes: { 'openai-responses': 'parallel_tool_calls', else: 'omitted' },
  },
  'parallel_tool_calls: false, one tool': {
    beside: { tools },
    said: { parallel_tool_calls: false },
    about:
      'A single tool is hardly ever called in parallel, and libraries that fill a schema forbid it by habit.',
    becomes: {
      'openai-responses': 'parallel_tool_calls',
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
      'openai-responses': 'parallel_tool_calls',
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
      'openai-responses': 'tool_choice',
      anthropic: 'tool_choice.type',
      google: { 'toolConfig.functionCallingConfig.mode': 'NONE' },
      bedrock: { toolConfig: '(gone)' },
    },
  },
  'tool_choice: required': {
    beside: { tools },
    said: { tool_choice: 'required' },
    becomes: {
      'openai-responses': 'tool_choice',
      anthropic: { 'tool_choice.type': 'any' },
      google: { 'toolConfig.functionCallingConfig.mode': 'ANY' },
      bedrock: { 'toolConfig.toolChoice.any': {} },
      deepseek: { tool_choice: 'required', 'thinking.type': 'disabled' },
    },
  },
  'tool_choice: function': {
    beside: { tools },
    said: { tool_choice: { type: 'function', function: { name: 'look' } } },
    becomes: {
      'openai-responses': { tool_choice: { type: 'function', name: 'look' } },
      anthropic: { tool_choice: { type: 'tool', name: 'look' } },
      google: { 'toolConfig.functionCallingConfig': { mode: 'ANY', allowedFunctionNames: ['look'] } },
      bedrock: { 'toolConfig.toolChoice.tool.name': 'look' },
      deepseek: {
        tool_choice: { type: 'function', function: { name: 'look' } },
        'thinking.type': 'disabled',
      },
    },
  },
  'tool_choice: allowed_tools': {
    beside: { tools: twoTools },
    said: {
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'look' } }] },
      },
    },
    about: 'Only the allowed tools are offered.',
    becomes: {
      'openai-responses': {
        tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'look' }] },
      },
      anthropic: { 'tools[1]': '(gone)', 'tool_choice.type': 'auto' },
      google: {
        'tools[0].functionDeclarations[1]': '(gone)',
        'toolConfig.functionCallingConfig.mode': 'AUTO',
      },
      bedrock: { 'toolConfig.tools[1]': '(gone)', 'toolConfig.toolChoice.auto': {} },
      deepseek: {
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'look' } }] },
        },
        'thinking.type': 'disabled',
      },
    },
  },
  'tools[].function.description': {
    beside: { tools },
    said: { tools: [chatTool('look', { description: 'Looks' })] },
    becomes: {
      google: 'tools[0].functionDeclarations[0].description',
      bedrock: 'toolConfig.tools[0].toolSpec.description',
      else: 'tools[0].description',
    },
  },
  'tools[].function.strict': {
    beside: { tools },
    said: { tools: [chatTool('look', { strict: true })] },
    about: 'A hint without a field there.',
    becomes: {
      'openai-responses': 'tools[0].strict',
      anthropic: { 'tools[0].input_schema.additionalProperties': false, 'tools[0].strict': true },
      google: 'omitted',
      bedrock: {
        'toolConfig.tools[0].toolSpec.inputSchema.json.additionalProperties': false,
        'toolConfig.tools[0].toolSpec.strict': true,
      },
    },
  },
  'tools[].function, another field': {
    beside: { tools },
    said: { tools: [chatTool('look', { x_made_up: 1 })] },
    becomes: { else: 'rejected' },
  },
  'tools[].cache_control': {
    beside: { tools },
    said: { tools: [{ ...chatTool('look'), cache_control: { type: 'ephemeral' } }] },
    about: 'Where a dialect has no markers, its cache works without them, or there is none.',
    becomes: {
      anthropic: 'tools[0].cache_control.type',
      bedrock: { 'toolConfig.tools[1]': { cachePoint: { type: 'default' } } },
      else: 'omitted',
    },
  },
  'tools[], another field': {
    beside: { tools },
    said: { tools: [{ ...chatTool('look'), x_made_up: 1 }] },
    becomes: { else: 'rejected' },
  },
} as const satisfies FieldCases;
