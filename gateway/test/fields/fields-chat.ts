/** The fields of the chat format. */
import type { FieldCases } from './field-case.ts';
import { chatLoop, chatTool, IMAGE, PDF, schema, spoken, userPart } from './samples.ts';

const tools = [chatTool('look')];
const twoTools = [chatTool('look'), chatTool('ask')];

export const chatFields = {
  audio: { said: { audio: { voice: 'alloy', format: 'mp3' } }, becomes: {} },
  frequency_penalty: { said: { frequency_penalty: 0.5 }, becomes: {} },
  'frequency_penalty: 0': { said: { frequency_penalty: 0 }, becomes: {} },
  presence_penalty: { said: { presence_penalty: 0.5 }, becomes: {} },
  function_call: { said: { function_call: 'auto' }, becomes: {} },
  functions: { said: { functions: [{ name: 'look' }] }, becomes: {} },
  logit_bias: { said: { logit_bias: { 1: 5 } }, becomes: {} },
  logprobs: { said: { logprobs: true }, becomes: {} },
  top_logprobs: { said: { top_logprobs: 3 }, becomes: {} },
  max_completion_tokens: { said: { max_completion_tokens: 500 }, becomes: {} },
  max_tokens: { said: { max_tokens: 500 }, becomes: {} },
  metadata: { said: { metadata: { a: 'b' } }, becomes: {} },
  modalities: { said: { modalities: ['text'] }, becomes: {} },
  'modalities with audio': { said: { modalities: ['text', 'audio'] }, becomes: {} },
  moderation: { said: { moderation: { model: 'm' } }, becomes: {} },
  n: { said: { n: 2 }, becomes: {} },
  'parallel_tool_calls: true': {
    beside: { tools: twoTools },
    said: { parallel_tool_calls: true },
    becomes: {},
  },
  'parallel_tool_calls: false, one tool': {
    beside: { tools },
    said: { parallel_tool_calls: false },
    becomes: {},
  },
  'parallel_tool_calls: false, two tools': {
    beside: { tools: twoTools },
    said: { parallel_tool_calls: false },
    becomes: {},
  },
  'parallel_tool_calls: false, no tools': { said: { parallel_tool_calls: false }, becomes: {} },
  prediction: { said: { prediction: { type: 'content', content: 'Yes' } }, becomes: {} },
  prompt_cache_key: { said: { prompt_cache_key: 'k' }, becomes: {} },
  prompt_cache_options: { said: { prompt_cache_options: { mode: 'explicit', ttl: '30m' } }, becomes: {} },
  prompt_cache_retention: { said: { prompt_cache_retention: '24h' }, becomes: {} },
  reasoning_effort: { said: { reasoning_effort: 'high' }, becomes: {} },
  'reasoning_effort: none': { said: { reasoning_effort: 'none' }, becomes: {} },
  'response_format: json_object': { said: { response_format: { type: 'json_object' } }, becomes: {} },
  'response_format: json_schema': {
    said: {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'place', description: 'A place', schema, strict: true },
      },
    },
    becomes: {},
  },
  safety_identifier: { said: { safety_identifier: 'ada' }, becomes: {} },
  user: { said: { user: 'ada' }, becomes: {} },
  seed: { said: { seed: 7 }, becomes: {} },
  'service_tier: flex': { said: { service_tier: 'flex' }, becomes: {} },
  'service_tier: auto': { said: { service_tier: 'auto' }, becomes: {} },
  stop: { said: { stop: ['END'] }, becomes: {} },
  store: { said: { store: true }, becomes: {} },
  'stream_options.include_obfuscation': {
    beside: { stream: true },
    said: { stream_options: { include_obfuscation: false } },
    becomes: {},
  },
  temperature: { said: { temperature: 0.5 }, becomes: {} },
  top_p: { said: { top_p: 0.5 }, becomes: {} },
  top_k: { said: { top_k: 5 }, becomes: {} },
  tools: { said: { tools }, becomes: {} },
  'tool_choice: none': { beside: { tools }, said: { tool_choice: 'none' }, becomes: {} },
  'tool_choice: required': { beside: { tools }, said: { tool_choice: 'required' }, becomes: {} },
  'tool_choice: function': {
    beside: { tools },
    said: { tool_choice: { type: 'function', function: { name: 'look' } } },
    becomes: {},
  },
  'tool_choice: allowed_tools': {
    beside: { tools: twoTools },
    said: {
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'look' } }] },
      },
    },
    becomes: {},
  },
  verbosity: { said: { verbosity: 'low' }, becomes: {} },
  web_search_options: { said: { web_search_options: { search_context_size: 'low' } }, becomes: {} },
  'web_search_options: {}': { said: { web_search_options: {} }, becomes: {} },
  'a field that nobody knows': { said: { x_made_up: 1 }, becomes: {} },

  'tools[].function.description': {
    beside: { tools },
    said: { tools: [chatTool('look', { description: 'Looks' })] },
    becomes: {},
  },
  'tools[].function.strict': {
    beside: { tools },
    said: { tools: [chatTool('look', { strict: true })] },
    becomes: {},
  },
  'tools[].function, another field': {
    beside: { tools },
    said: { tools: [chatTool('look', { x_made_up: 1 })] },
    becomes: {},
  },
  'tools[].cache_control': {
    beside: { tools },
    said: { tools: [{ ...chatTool('look'), cache_control: { type: 'ephemeral' } }] },
    becomes: {},
  },
  'tools[], another field': {
    beside: { tools },
    said: { tools: [{ ...chatTool('look'), x_made_up: 1 }] },
    becomes: {},
  },

  'messages[].name, of a user': {
    said: { messages: [{ role: 'user', content: 'Hello', name: 'Ada' }] },
    becomes: {},
  },
  'messages[].name, of the system': {
    beside: {
      messages: [
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: 'Hello' },
      ],
    },
    said: {
      messages: [
        { role: 'system', content: 'Be brief', name: 'Rules' },
        { role: 'user', content: 'Hello' },
      ],
    },
    becomes: {},
  },
  'messages[].name, of the assistant': {
    beside: { messages: spoken('Yes') },
    said: { messages: spoken('Yes', { name: 'Bot' }) },
    becomes: {},
  },
  'messages[].name, of a tool': {
    beside: { tools, messages: chatLoop() },
    said: { messages: chatLoop({ result: { name: 'look' } }) },
    becomes: {},
  },
  'messages[].cache_control': {
    said: { messages: [{ role: 'user', content: 'Hello', cache_control: { type: 'ephemeral' } }] },
    becomes: {},
  },
  'messages[], another field': {
    said: { messages: [{ role: 'user', content: 'Hello', x_made_up: 1 }] },
    becomes: {},
  },
  'messages[].refusal': {
    beside: { messages: spoken('Yes') },
    said: { messages: spoken('Yes', { refusal: 'No' }) },
    becomes: {},
  },
  'messages[].annotations': {
    beside: { messages: spoken('Yes') },
    said: {
      messages: spoken('Yes', {
        annotations: [{ type: 'url_citation', url_citation: { url: 'https://example.com' } }],
      }),
    },
    becomes: {},
  },
  'messages[].reasoning_content': {
    beside: { messages: spoken('Yes') },
    said: { messages: spoken('Yes', { reasoning_content: 'Hm' }) },
    becomes: {},
  },
  'messages[].function_call': {
    beside: { messages: spoken('Yes') },
    said: { messages: spoken('Yes', { function_call: { name: 'look', arguments: '{}' } }) },
    becomes: {},
  },
  'messages[].tool_calls[], another field': {
    beside: { tools, messages: chatLoop() },
    said: { messages: chatLoop({ call: { x_made_up: 1 } }) },
    becomes: {},
  },
  'a refusal part': {
    beside: { messages: spoken([{ type: 'text', text: 'Yes' }]) },
    said: {
      messages: spoken([
        { type: 'text', text: 'Yes' },
        { type: 'refusal', refusal: 'No' },
      ]),
    },
    becomes: {},
  },
  'a refusal part with text': {
    beside: { messages: spoken([{ type: 'text', text: 'Yes' }]) },
    said: {
      messages: spoken([
        { type: 'text', text: 'Yes' },
        { type: 'refusal', text: 'No' },
      ]),
    },
    becomes: {},
  },
  'cache_control of a part': {
    beside: { messages: userPart({ type: 'text', text: 'Hi' }) },
    said: { messages: userPart({ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }) },
    becomes: {},
  },
  'prompt_cache_breakpoint of a text': {
    beside: { messages: userPart({ type: 'text', text: 'Hi' }) },
    said: { messages: userPart({ type: 'text', text: 'Hi', prompt_cache_breakpoint: { mode: 'explicit' } }) },
    becomes: {},
  },
  'prompt_cache_breakpoint with ttl': {
    beside: { messages: userPart({ type: 'text', text: 'Hi' }) },
    said: {
      messages: userPart({
        type: 'text',
        text: 'Hi',
        prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' },
      }),
    },
    becomes: {},
  },
  'prompt_cache_breakpoint of an image': {
    beside: { messages: userPart({ type: 'image_url', image_url: { url: IMAGE } }) },
    said: {
      messages: userPart({
        type: 'image_url',
        image_url: { url: IMAGE },
        prompt_cache_breakpoint: { mode: 'explicit' },
      }),
    },
    becomes: {},
  },
  'detail of an image': {
    beside: { messages: userPart({ type: 'image_url', image_url: { url: IMAGE } }) },
    said: { messages: userPart({ type: 'image_url', image_url: { url: IMAGE, detail: 'low' } }) },
    becomes: {},
  },
  'filename of a file': {
    beside: { messages: userPart({ type: 'file', file: { file_data: PDF } }) },
    said: { messages: userPart({ type: 'file', file: { file_data: PDF, filename: 'a.pdf' } }) },
    becomes: {},
  },
  'a part, another field': {
    beside: { messages: userPart({ type: 'text', text: 'Hi' }) },
    said: { messages: userPart({ type: 'text', text: 'Hi', x_made_up: 1 }) },
    becomes: {},
  },
  input_audio: {
    said: { messages: userPart({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }) },
    becomes: {},
  },
} satisfies FieldCases;
