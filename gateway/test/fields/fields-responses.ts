/** The fields of the responses format. */
import type { FieldCases } from './field-case.ts';
import { IMAGE, inputPart, PDF, responsesLoop, responsesTool, schema, spoken } from './samples.ts';

const tools = [responsesTool('look')];
const twoTools = [responsesTool('look'), responsesTool('ask')];
const said = (content: object[], more: object = {}): object[] =>
  spoken(content, { type: 'message', ...more });
const yes = { type: 'output_text', text: 'Yes' };

export const responsesFields = {
  access_programs: { said: { access_programs: ['x'] }, becomes: {} },
  client_metadata: { said: { client_metadata: { session_id: 's' } }, becomes: {} },
  context_management: {
    said: { context_management: [{ type: 'compaction', compact_threshold: 1000 }] },
    becomes: {},
  },
  image: { said: { image: { a: 1 } }, becomes: {} },
  include: { said: { include: ['reasoning.encrypted_content'] }, becomes: {} },
  'include, results of tools': { said: { include: ['web_search_call.action.sources'] }, becomes: {} },
  'include: logprobs': { said: { include: ['message.output_text.logprobs'] }, becomes: {} },
  instructions: { said: { instructions: 'Be brief' }, becomes: {} },
  max_output_tokens: { said: { max_output_tokens: 500 }, becomes: {} },
  max_tool_calls: { said: { max_tool_calls: 2 }, becomes: {} },
  metadata: { said: { metadata: { a: 'b' } }, becomes: {} },
  moderation: { said: { moderation: { model: 'm' } }, becomes: {} },
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
  prompt_cache_key: { said: { prompt_cache_key: 'k' }, becomes: {} },
  prompt_cache_options: { said: { prompt_cache_options: { mode: 'explicit', ttl: '30m' } }, becomes: {} },
  prompt_cache_retention: { said: { prompt_cache_retention: '24h' }, becomes: {} },
  'reasoning.effort': { said: { reasoning: { effort: 'high' } }, becomes: {} },
  'reasoning.effort: none': { said: { reasoning: { effort: 'none' } }, becomes: {} },
  'reasoning.summary': {
    beside: { reasoning: { effort: 'high' } },
    said: { reasoning: { effort: 'high', summary: 'auto' } },
    becomes: {},
  },
  'reasoning.summary alone': { said: { reasoning: { summary: 'auto' } }, becomes: {} },
  'reasoning.context': { said: { reasoning: { context: 'all_turns' } }, becomes: {} },
  'reasoning.mode': { said: { reasoning: { mode: 'x' } }, becomes: {} },
  safety_identifier: { said: { safety_identifier: 'ada' }, becomes: {} },
  user: { said: { user: 'ada' }, becomes: {} },
  'service_tier: flex': { said: { service_tier: 'flex' }, becomes: {} },
  'service_tier: auto': { said: { service_tier: 'auto' }, becomes: {} },
  'stream_options.include_obfuscation': {
    beside: { stream: true },
    said: { stream_options: { include_obfuscation: false } },
    becomes: {},
  },
  temperature: { said: { temperature: 0.5 }, becomes: {} },
  top_p: { said: { top_p: 0.5 }, becomes: {} },
  frequency_penalty: { said: { frequency_penalty: 0.5 }, becomes: {} },
  presence_penalty: { said: { presence_penalty: 0.5 }, becomes: {} },
  'text.format: json_object': { said: { text: { format: { type: 'json_object' } } }, becomes: {} },
  'text.format: json_schema': {
    said: {
      text: { format: { type: 'json_schema', name: 'place', description: 'A place', schema, strict: true } },
    },
    becomes: {},
  },
  response_format: { said: { response_format: { type: 'json_object' } }, becomes: {} },
  'text.verbosity': { said: { text: { verbosity: 'low' } }, becomes: {} },
  tools: { said: { tools }, becomes: {} },
  'tool_choice: none': { beside: { tools }, said: { tool_choice: 'none' }, becomes: {} },
  'tool_choice: required': { beside: { tools }, said: { tool_choice: 'required' }, becomes: {} },
  'tool_choice: function': {
    beside: { tools },
    said: { tool_choice: { type: 'function', name: 'look' } },
    becomes: {},
  },
  'tool_choice: allowed_tools': {
    beside: { tools: twoTools },
    said: {
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'look' }] },
    },
    becomes: {},
  },
  top_logprobs: { said: { top_logprobs: 3 }, becomes: {} },
  truncation: { said: { truncation: 'auto' }, becomes: {} },
  'truncation: disabled': { said: { truncation: 'disabled' }, becomes: {} },
  'a field that nobody knows': { said: { x_made_up: 1 }, becomes: {} },

  'tools[].description': {
    beside: { tools },
    said: { tools: [responsesTool('look', { description: 'Looks' })] },
    becomes: {},
  },
  'tools[].strict': {
    beside: { tools },
    said: { tools: [responsesTool('look', { strict: true })] },
    becomes: {},
  },
  'tools[].allowed_callers': {
    beside: { tools },
    said: { tools: [responsesTool('look', { allowed_callers: ['direct'] })] },
    becomes: {},
  },
  'tools[].async': {
    beside: { tools },
    said: { tools: [responsesTool('look', { async: true })] },
    becomes: {},
  },
  'tools[].defer_loading': {
    beside: { tools },
    said: { tools: [responsesTool('look', { defer_loading: true })] },
    becomes: {},
  },
  'tools[].output_schema': {
    beside: { tools },
    said: { tools: [responsesTool('look', { output_schema: schema })] },
    becomes: {},
  },
  'tools[], another field': {
    beside: { tools },
    said: { tools: [responsesTool('look', { x_made_up: 1 })] },
    becomes: {},
  },
  'tools: web_search': {
    beside: { tools },
    said: { tools: [...tools, { type: 'web_search' }] },
    becomes: {},
  },

  'input[].phase': {
    beside: { input: said([yes]) },
    said: { input: said([yes], { phase: 'final_answer' }) },
    becomes: {},
  },
  'input[].id': {
    beside: { input: said([yes]) },
    said: { input: said([yes], { id: 'msg_1' }) },
    becomes: {},
  },
  'input[].status': {
    beside: { input: said([yes]) },
    said: { input: said([yes], { status: 'completed' }) },
    becomes: {},
  },
  'input[].name': { said: { input: [{ role: 'user', content: 'Hello', name: 'Ada' }] }, becomes: {} },
  'input[], another field': {
    said: { input: [{ role: 'user', content: 'Hello', x_made_up: 1 }] },
    becomes: {},
  },
  'a refusal part': {
    beside: { input: said([yes]) },
    said: { input: said([yes, { type: 'refusal', refusal: 'No' }]) },
    becomes: {},
  },
  'a refusal part with text': {
    beside: { input: said([yes]) },
    said: { input: said([yes, { type: 'refusal', text: 'No' }]) },
    becomes: {},
  },
  'annotations of output_text': {
    beside: { input: said([yes]) },
    said: { input: said([{ ...yes, annotations: [{ type: 'url_citation', url: 'https://example.com' }] }]) },
    becomes: {},
  },
  'logprobs of output_text': {
    beside: { input: said([yes]) },
    said: { input: said([{ ...yes, logprobs: [{ token: 'a' }] }]) },
    becomes: {},
  },
  'prompt_cache_breakpoint of input_text': {
    beside: { input: inputPart({ type: 'input_text', text: 'Hi' }) },
    said: {
      input: inputPart({ type: 'input_text', text: 'Hi', prompt_cache_breakpoint: { mode: 'explicit' } }),
    },
    becomes: {},
  },
  'prompt_cache_breakpoint of a system text': {
    beside: {
      input: [
        { role: 'system', content: [{ type: 'input_text', text: 'Brief' }] },
        { role: 'user', content: 'Hi' },
      ],
    },
    said: {
      input: [
        {
          role: 'system',
          content: [{ type: 'input_text', text: 'Brief', prompt_cache_breakpoint: { mode: 'explicit' } }],
        },
        { role: 'user', content: 'Hi' },
      ],
    },
    becomes: {},
  },
  'detail of input_image': {
    beside: { input: inputPart({ type: 'input_image', image_url: IMAGE }) },
    said: { input: inputPart({ type: 'input_image', image_url: IMAGE, detail: 'low' }) },
    becomes: {},
  },
  'filename of input_file': {
    beside: { input: inputPart({ type: 'input_file', file_data: PDF }) },
    said: { input: inputPart({ type: 'input_file', file_data: PDF, filename: 'a.pdf' }) },
    becomes: {},
  },
  'detail of input_file': {
    beside: { input: inputPart({ type: 'input_file', file_data: PDF }) },
    said: { input: inputPart({ type: 'input_file', file_data: PDF, detail: 'low' }) },
    becomes: {},
  },
  'a part, another field': {
    beside: { input: inputPart({ type: 'input_text', text: 'Hi' }) },
    said: { input: inputPart({ type: 'input_text', text: 'Hi', x_made_up: 1 }) },
    becomes: {},
  },
  'id of function_call': {
    beside: { tools, input: responsesLoop() },
    said: { input: responsesLoop({ call: { id: 'fc_1', status: 'completed' } }) },
    becomes: {},
  },
  'async of function_call': {
    beside: { tools, input: responsesLoop() },
    said: { input: responsesLoop({ call: { async: true } }) },
    becomes: {},
  },
  'caller of function_call': {
    beside: { tools, input: responsesLoop() },
    said: { input: responsesLoop({ call: { caller: { type: 'program' } } }) },
    becomes: {},
  },
  'function_call, another field': {
    beside: { tools, input: responsesLoop() },
    said: { input: responsesLoop({ call: { x_made_up: 1 } }) },
    becomes: {},
  },
  'id of function_call_output': {
    beside: { tools, input: responsesLoop() },
    said: { input: responsesLoop({ result: { id: 'fco_1', status: 'completed', name: 'look' } }) },
    becomes: {},
  },
  'caller of function_call_output': {
    beside: { tools, input: responsesLoop() },
    said: { input: responsesLoop({ result: { caller: { type: 'program' } } }) },
    becomes: {},
  },
  'function_call_output, another field': {
    beside: { tools, input: responsesLoop() },
    said: { input: responsesLoop({ result: { x_made_up: 1 } }) },
    becomes: {},
  },
} satisfies FieldCases;
