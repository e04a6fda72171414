/** Fields inside the conversation of a responses call. */
import type { FieldCases } from './field-case.ts';
import { IMAGE, inputPart, PDF, responsesLoop, responsesTool, spoken } from './samples.ts';

const tools = [responsesTool('look')];
const said = (content: object[], more: object = {}): object[] =>
  spoken(content, { type: 'message', ...more });
const yes = { type: 'output_text', text: 'Yes' };

export const responsesContent = {
  'include, results of tools': {
    said: { include: ['web_search_call.action.sources'] },
    about: 'Results of tools that a translated call does not have.',
    becomes: { else: 'omitted' },
  },
  'input[].phase': {
    beside: { input: said([yes]) },
    said: { input: said([yes], { phase: 'final_answer' }) },
    about: 'Whether words were said before or after tools were called shows in their order.',
    becomes: { else: 'omitted' },
  },
  'input[].id': {
    beside: { input: said([yes]) },
    said: { input: said([yes], { id: 'msg_1' }) },
    about: 'Providers keep no items, so an item has no id there.',
    relayed: 'omitted',
    becomes: { else: 'omitted' },
  },
  'input[].status': {
    beside: { input: said([yes]) },
    said: { input: said([yes], { status: 'completed' }) },
    about: 'Part of an answer that clients send back.',
    becomes: { else: 'omitted' },
  },
  'input[].name': {
    said: { input: [{ role: 'user', content: 'Hello', name: 'Ada' }] },
    becomes: { else: 'rejected' },
  },
  'input[], another field': {
    said: { input: [{ role: 'user', content: 'Hello', x_made_up: 1 }] },
    becomes: { else: 'rejected' },
  },
  'a refusal part': {
    beside: { input: said([yes]) },
    said: { input: said([yes, { type: 'refusal', refusal: 'No' }]) },
    becomes: {
      'openai-compatible': { 'messages[1].refusal': 'No' },
      anthropic: { 'messages[1].content[1]': { type: 'text', text: 'No' } },
      google: { 'contents[1].parts[1]': { text: 'No' } },
      bedrock: { 'messages[1].content[1]': { text: 'No' } },
    },
  },
  'a refusal part with text': {
    beside: { input: said([yes]) },
    said: { input: said([yes, { type: 'refusal', text: 'No' }]) },
    becomes: {
      'openai-compatible': { 'messages[1].refusal': 'No' },
      anthropic: { 'messages[1].content[1]': { type: 'text', text: 'No' } },
      google: { 'contents[1].parts[1]': { text: 'No' } },
      bedrock: { 'messages[1].content[1]': { text: 'No' } },
    },
  },
  'annotations of output_text': {
    beside: { input: said([yes]) },
    said: { input: said([{ ...yes, annotations: [{ type: 'url_citation', url: 'https://example.com' }] }]) },
    about: 'Part of an answer that clients send back.',
    becomes: { else: 'omitted' },
  },
  'logprobs of output_text': {
    beside: { input: said([yes]) },
    said: { input: said([{ ...yes, logprobs: [{ token: 'a' }] }]) },
    about: 'Part of an answer that clients send back.',
    becomes: { else: 'omitted' },
  },
  'prompt_cache_breakpoint of input_text': {
    beside: { input: inputPart({ type: 'input_text', text: 'Hi' }) },
    said: {
      input: inputPart({ type: 'input_text', text: 'Hi', prompt_cache_breakpoint: { mode: 'explicit' } }),
    },
    about: 'A marker for prompt caches, [in the form of the dialect](routing.md#markers-for-prompt-caches).',
    becomes: {
      'openai-compatible': 'omitted',
      openrouter: { 'messages[0].content[0].cache_control.type': 'ephemeral' },
      google: 'omitted',
      bedrock: { 'messages[0].content[1]': { cachePoint: { type: 'default' } } },
      else: { 'messages[0].content[0].cache_control.type': 'ephemeral' },
    },
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
    about: 'A marker for prompt caches, [in the form of the dialect](routing.md#markers-for-prompt-caches).',
    becomes: {
      openrouter: {
        'messages[0].content': [{ type: 'text', text: 'Brief', cache_control: { type: 'ephemeral' } }],
      },
      anthropic: { 'system[0].cache_control.type': 'ephemeral' },
      bedrock: { 'system[1]': { cachePoint: { type: 'default' } } },
      else: 'omitted',
    },
  },
  'detail of input_image': {
    beside: { input: inputPart({ type: 'input_image', image_url: IMAGE }) },
    said: { input: inputPart({ type: 'input_image', image_url: IMAGE, detail: 'low' }) },
    about: 'A hint without a field there.',
    becomes: { 'openai-compatible': 'messages[0].content[0].image_url.detail', else: 'omitted' },
  },
  'filename of input_file': {
    beside: { input: inputPart({ type: 'input_file', file_data: PDF }) },
    said: { input: inputPart({ type: 'input_file', file_data: PDF, filename: 'a.pdf' }) },
    about: 'Gemini has no names of files.',
    becomes: {
      'openai-compatible': 'messages[0].content[0].file.filename',
      anthropic: 'messages[0].content[0].title',
      google: 'omitted',
      bedrock: { 'messages[0].content[0].document.name': 'a-pdf' },
    },
  },
  'detail of input_file': {
    beside: { input: inputPart({ type: 'input_file', file_data: PDF }) },
    said: { input: inputPart({ type: 'input_file', file_data: PDF, detail: 'low' }) },
    about: 'A hint without a field there.',
    becomes: { else: 'omitted' },
  },
  'a part, another field': {
    beside: { input: inputPart({ type: 'input_text', text: 'Hi' }) },
    said: { input: inputPart({ type: 'input_text', text: 'Hi', x_made_up: 1 }) },
    becomes: { else: 'rejected' },
  },
  'id of function_call': {
    beside: { tools, input: responsesLoop() },
    said: { input: responsesLoop({ call: { id: 'fc_1', status: 'completed' } }) },
    about: 'Providers keep no items, so an item has no id there.',
    relayed: { 'input[1].status': 'completed' },
    becomes: { else: 'omitted' },
  },
  'async of function_call': {
    beside: { tools, input: responsesLoop() },
    said: { input: responsesLoop({ call: { async: true } }) },
    becomes: { else: 'rejected' },
  },
  'caller of function_call': {
    beside: { tools, input: responsesLoop() },
    said: { input: responsesLoop({ call: { caller: { type: 'program' } } }) },
    param: 'input[1].caller',
    becomes: { else: 'rejected' },
  },
  'id of function_call_output': {
    beside: { tools, input: responsesLoop() },
    said: { input: responsesLoop({ result: { id: 'fco_1', status: 'completed', name: 'look' } }) },
    about: 'Providers keep no items, so an item has no id there. The name is in the call.',
    relayed: { 'input[2].status': 'completed', 'input[2].name': 'look' },
    becomes: { else: 'omitted' },
  },
  'caller of function_call_output': {
    beside: { tools, input: responsesLoop() },
    said: { input: responsesLoop({ result: { caller: { type: 'program' } } }) },
    param: 'input[2].caller',
    becomes: { else: 'rejected' },
  },
} as const satisfies FieldCases;
