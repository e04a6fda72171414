/** Fields inside the conversation of a chat call. */
import type { FieldCases } from './field-case.ts';
import { chatLoop, chatTool, IMAGE, PDF, spoken, userPart } from './samples.ts';

const tools = [chatTool('look')];

export const chatContent = {
  'messages[].name, of a user': {
    said: { messages: [{ role: 'user', content: 'Hello', name: 'Ada' }] },
    about: 'Written before what the user says.',
    becomes: {
      'openai-responses': { 'input[0].content': 'Ada: Hello' },
      google: { 'contents[0].parts[0].text': 'Ada: Hello' },
      else: { 'messages[0].content[0].text': 'Ada: Hello' },
    },
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
    about: 'Tells nobody apart.',
    becomes: { else: 'omitted' },
  },
  'messages[].name, of the assistant': {
    beside: { messages: spoken('Yes') },
    said: { messages: spoken('Yes', { name: 'Bot' }) },
    about: 'Written before its words, it would be repeated in the answer.',
    becomes: { else: 'omitted' },
  },
  'messages[].name, of a tool': {
    beside: { tools, messages: chatLoop() },
    said: { messages: chatLoop({ result: { name: 'look' } }) },
    about: 'The tool call has it.',
    becomes: { else: 'omitted' },
  },
  'messages[].cache_control': {
    said: { messages: [{ role: 'user', content: 'Hello', cache_control: { type: 'ephemeral' } }] },
    about: 'Where a dialect has no markers, its cache works without them, or there is none.',
    becomes: {
      anthropic: 'messages[0].content[0].cache_control.type',
      bedrock: { 'messages[0].content[1]': { cachePoint: { type: 'default' } } },
      else: 'omitted',
    },
  },
  'messages[], another field': {
    said: { messages: [{ role: 'user', content: 'Hello', x_made_up: 1 }] },
    becomes: { else: 'rejected' },
  },
  'messages[].refusal': {
    beside: { messages: spoken('Yes') },
    said: { messages: spoken('Yes', { refusal: 'No' }) },
    becomes: {
      'openai-responses': { 'input[1].content[1]': { type: 'refusal', refusal: 'No' } },
      anthropic: { 'messages[1].content[1]': { type: 'text', text: 'No' } },
      google: { 'contents[1].parts[1]': { text: 'No' } },
      bedrock: { 'messages[1].content[1]': { text: 'No' } },
    },
  },
  'messages[].annotations': {
    beside: { messages: spoken('Yes') },
    said: {
      messages: spoken('Yes', {
        annotations: [{ type: 'url_citation', url_citation: { url: 'https://example.com' } }],
      }),
    },
    about: 'Part of an answer that clients send back.',
    becomes: { else: 'omitted' },
  },
  'messages[].reasoning_content': {
    beside: { messages: spoken('Yes') },
    said: { messages: spoken('Yes', { reasoning_content: 'Hm' }) },
    about: 'Only a provider that signed thoughts takes them back.',
    becomes: { else: 'omitted' },
  },
  'messages[].images': {
    beside: { messages: spoken('Yes') },
    said: { messages: spoken('Yes', { images: [{ type: 'image_url', image_url: { url: IMAGE } }] }) },
    param: 'messages',
    about: 'Images that the model drew.',
    becomes: {
      google: { 'contents[1].parts[1]': { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } } },
      else: 'rejected',
    },
  },
  'messages[].prefix': {
    beside: { messages: spoken('Yes') },
    said: { messages: spoken('Yes', { prefix: true }) },
    about: 'An answer at the end of a conversation is continued everywhere.',
    becomes: { else: 'omitted' },
  },
  'messages[].function_call': {
    beside: { messages: spoken('Yes') },
    said: { messages: spoken('Yes', { function_call: { name: 'look', arguments: '{}' } }) },
    becomes: { else: 'rejected' },
  },
  'messages[].tool_calls[], another field': {
    beside: { tools, messages: chatLoop() },
    said: { messages: chatLoop({ call: { x_made_up: 1 } }) },
    becomes: { else: 'rejected' },
  },
  'a refusal part': {
    beside: { messages: spoken([{ type: 'text', text: 'Yes' }]) },
    said: {
      messages: spoken([
        { type: 'text', text: 'Yes' },
        { type: 'refusal', refusal: 'No' },
      ]),
    },
    becomes: {
      'openai-responses': 'input[1].content[1]',
      anthropic: { 'messages[1].content[1]': { type: 'text', text: 'No' } },
      google: { 'contents[1].parts[1]': { text: 'No' } },
      bedrock: { 'messages[1].content[1]': { text: 'No' } },
    },
  },
  'a refusal part with text': {
    beside: { messages: spoken([{ type: 'text', text: 'Yes' }]) },
    said: {
      messages: spoken([
        { type: 'text', text: 'Yes' },
        { type: 'refusal', text: 'No' },
      ]),
    },
    becomes: {
      'openai-responses': { 'input[1].content[1]': { type: 'refusal', refusal: 'No' } },
      anthropic: { 'messages[1].content[1]': { type: 'text', text: 'No' } },
      google: { 'contents[1].parts[1]': { text: 'No' } },
      bedrock: { 'messages[1].content[1]': { text: 'No' } },
    },
  },
  'cache_control of a part': {
    beside: { messages: userPart({ type: 'text', text: 'Hi' }) },
    said: { messages: userPart({ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }) },
    about: 'Where a dialect has no markers, its cache works without them, or there is none.',
    becomes: {
      anthropic: 'messages[0].content[0].cache_control.type',
      bedrock: { 'messages[0].content[1]': { cachePoint: { type: 'default' } } },
      else: 'omitted',
    },
  },
  'prompt_cache_breakpoint of a text': {
    beside: { messages: userPart({ type: 'text', text: 'Hi' }) },
    said: { messages: userPart({ type: 'text', text: 'Hi', prompt_cache_breakpoint: { mode: 'explicit' } }) },
    about: 'A marker for prompt caches, [in the form of the dialect](routing.md#markers-for-prompt-caches).',
    becomes: {
      'openai-responses': 'input[0].content[0].prompt_cache_breakpoint.mode',
      anthropic: { 'messages[0].content[0].cache_control.type': 'ephemeral' },
      google: 'omitted',
      bedrock: { 'messages[0].content[1]': { cachePoint: { type: 'default' } } },
    },
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
    about: 'A marker for prompt caches, [in the form of the dialect](routing.md#markers-for-prompt-caches).',
    becomes: {
      'openai-responses': 'input[0].content[0].prompt_cache_breakpoint',
      anthropic: { 'messages[0].content[0].cache_control': { type: 'ephemeral', ttl: '1h' } },
      google: 'omitted',
      bedrock: { 'messages[0].content[1]': { cachePoint: { type: 'default', ttl: '1h' } } },
    },
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
    about: 'A marker for prompt caches, [in the form of the dialect](routing.md#markers-for-prompt-caches).',
    becomes: {
      'openai-responses': 'input[0].content[0].prompt_cache_breakpoint.mode',
      anthropic: { 'messages[0].content[0].cache_control.type': 'ephemeral' },
      google: 'omitted',
      bedrock: { 'messages[0].content[1]': { cachePoint: { type: 'default' } } },
    },
  },
  'detail of an image': {
    beside: { messages: userPart({ type: 'image_url', image_url: { url: IMAGE } }) },
    said: { messages: userPart({ type: 'image_url', image_url: { url: IMAGE, detail: 'low' } }) },
    about: 'A hint without a field there.',
    becomes: { 'openai-responses': 'input[0].content[0].detail', else: 'omitted' },
  },
  'filename of a file': {
    beside: { messages: userPart({ type: 'file', file: { file_data: PDF } }) },
    said: { messages: userPart({ type: 'file', file: { file_data: PDF, filename: 'a.pdf' } }) },
    about: 'Gemini has no names of files.',
    becomes: {
      'openai-responses': 'input[0].content[0].filename',
      anthropic: 'messages[0].content[0].title',
      google: 'omitted',
      bedrock: { 'messages[0].content[0].document.name': 'a-pdf' },
    },
  },
  'a part, another field': {
    beside: { messages: userPart({ type: 'text', text: 'Hi' }) },
    said: { messages: userPart({ type: 'text', text: 'Hi', x_made_up: 1 }) },
    becomes: { else: 'rejected' },
  },
  input_audio: {
    said: { messages: userPart({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }) },
    param: 'messages[0].content[0].type',
    becomes: { else: 'rejected' },
  },
} as const satisfies FieldCases;
