/** Fields inside the conversation of a messages call. */
import type { FieldCases } from './field-case.ts';
import { messagesLoop, messagesTool, spoken, userPart } from './samples.ts';

const tools = [messagesTool('look')];
const png = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' };
const pdf = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' };
const ephemeral = { type: 'ephemeral' };
const hi = { type: 'text', text: 'Hi' };

export const messagesContent = {
  'system[].cache_control': {
    beside: { system: [hi] },
    said: { system: [{ ...hi, cache_control: ephemeral }] },
    about: 'Where a dialect has no markers, its cache works without them, or there is none.',
    becomes: {
      openrouter: {
        'messages[0].content': [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }],
      },
      bedrock: { 'system[1]': { cachePoint: { type: 'default' } } },
      else: 'omitted',
    },
  },
  'system[].citations': {
    beside: { system: [hi] },
    said: { system: [{ ...hi, citations: [{ type: 'char_location', cited_text: 'x' }] }] },
    about: 'Part of an answer that clients send back.',
    becomes: { else: 'omitted' },
  },
  'system[], another field': {
    beside: { system: [hi] },
    said: { system: [{ ...hi, x_made_up: 1 }] },
    becomes: { else: 'rejected' },
  },
  'messages[], another field': {
    said: { messages: [{ role: 'user', content: 'Hello', x_made_up: 1 }] },
    becomes: { else: 'rejected' },
  },
  'cache_control of text': {
    beside: { messages: userPart(hi) },
    said: { messages: userPart({ ...hi, cache_control: ephemeral }) },
    about: 'Where a dialect has no markers, its cache works without them, or there is none.',
    becomes: {
      openrouter: 'messages[0].content[0].cache_control.type',
      bedrock: { 'messages[0].content[1]': { cachePoint: { type: 'default' } } },
      else: 'omitted',
    },
  },
  'cache_control of text, 1h': {
    beside: { messages: userPart(hi) },
    said: { messages: userPart({ ...hi, cache_control: { ...ephemeral, ttl: '1h' } }) },
    about: 'Where a dialect has no markers, its cache works without them, or there is none.',
    becomes: {
      openrouter: 'messages[0].content[0].cache_control',
      bedrock: { 'messages[0].content[1]': { cachePoint: { type: 'default', ttl: '1h' } } },
      else: 'omitted',
    },
  },
  'citations of text': {
    beside: { messages: spoken([hi]) },
    said: { messages: spoken([{ ...hi, citations: [{ type: 'char_location', cited_text: 'x' }] }]) },
    about: 'Part of an answer that clients send back.',
    becomes: { else: 'omitted' },
  },
  'text, another field': {
    beside: { messages: userPart(hi) },
    said: { messages: userPart({ ...hi, x_made_up: 1 }) },
    becomes: { else: 'rejected' },
  },
  'transformations of image': {
    beside: { messages: userPart({ type: 'image', source: png }) },
    said: { messages: userPart({ type: 'image', source: png, transformations: [{ type: 'x' }] }) },
    becomes: { else: 'rejected' },
  },
  'title of document': {
    beside: { messages: userPart({ type: 'document', source: pdf }) },
    said: { messages: userPart({ type: 'document', source: pdf, title: 'a.pdf' }) },
    about: 'Gemini has no names of files.',
    becomes: {
      openai: 'messages[0].content[0].file.filename',
      'openai-responses': 'input[0].content[0].filename',
      google: 'omitted',
      bedrock: { 'messages[0].content[0].document.name': 'a-pdf' },
    },
  },
  'context of document': {
    beside: { messages: userPart({ type: 'document', source: pdf }) },
    said: { messages: userPart({ type: 'document', source: pdf, context: 'c' }) },
    becomes: { else: 'rejected' },
  },
  'citations of document': {
    beside: { messages: userPart({ type: 'document', source: pdf }) },
    said: { messages: userPart({ type: 'document', source: pdf, citations: { enabled: true } }) },
    param: 'messages[0].content[0].citations',
    becomes: { else: 'rejected' },
  },
  'document, another field': {
    beside: { messages: userPart({ type: 'document', source: pdf }) },
    said: { messages: userPart({ type: 'document', source: pdf, x_made_up: 1 }) },
    becomes: { else: 'rejected' },
  },
  'cache_control of tool_use': {
    beside: { tools, messages: messagesLoop() },
    said: { messages: messagesLoop({ call: { cache_control: ephemeral } }) },
    about: 'Where a dialect has no markers, its cache works without them, or there is none.',
    becomes: { bedrock: { 'messages[1].content[1]': { cachePoint: { type: 'default' } } }, else: 'omitted' },
  },
  'caller of tool_use': {
    beside: { tools, messages: messagesLoop() },
    said: { messages: messagesLoop({ call: { caller: { type: 'direct' } } }) },
    about: 'Says that the model calls the tool itself, as everywhere else.',
    becomes: { else: 'omitted' },
  },
  'is_error of tool_result': {
    beside: { tools, messages: messagesLoop() },
    said: { messages: messagesLoop({ result: { is_error: true } }) },
    becomes: {
      openai: { 'messages[2].content': 'Error: sunny' },
      'openai-responses': { 'input[2].output': 'Error: sunny' },
      google: {
        'contents[2].parts[0].functionResponse.response.result': '(gone)',
        'contents[2].parts[0].functionResponse.response.error': 'sunny',
      },
      bedrock: { 'messages[2].content[0].toolResult.status': 'error' },
    },
  },
  'cache_control of tool_result': {
    beside: { tools, messages: messagesLoop() },
    said: { messages: messagesLoop({ result: { cache_control: ephemeral } }) },
    about: 'Where a dialect has no markers, its cache works without them, or there is none.',
    becomes: { bedrock: { 'messages[2].content[1]': { cachePoint: { type: 'default' } } }, else: 'omitted' },
  },
  'thinking of an earlier turn': {
    beside: { messages: spoken([hi]) },
    said: { messages: spoken([{ type: 'thinking', thinking: 'Hm', signature: 'c2ln' }, hi]) },
    about: 'Only a provider that signed thoughts takes them back.',
    becomes: {
      'openai-compatible': { 'messages[1].reasoning_content': 'Hm' },
      ollama: 'omitted',
      groq: { 'messages[1].reasoning': 'Hm' },
      mistral: 'omitted',
      openrouter: { 'messages[1].reasoning': 'Hm' },
      else: 'omitted',
    },
  },
} as const satisfies FieldCases;
