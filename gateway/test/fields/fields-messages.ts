/** The fields of the messages format. */
import type { FieldCases } from './field-case.ts';
import { messagesLoop, messagesTool, schema, spoken, userPart } from './samples.ts';

const tools = [messagesTool('look')];
const twoTools = [messagesTool('look'), messagesTool('ask')];
const png = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' };
const pdf = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' };
const ephemeral = { type: 'ephemeral' };
const hi = { type: 'text', text: 'Hi' };

export const messagesFields = {
  cache_control: { said: { cache_control: ephemeral }, becomes: {} },
  diagnostics: { said: { diagnostics: { a: 1 } }, becomes: {} },
  inference_geo: { said: { inference_geo: 'eu' }, becomes: {} },
  'metadata.user_id': { said: { metadata: { user_id: 'ada' } }, becomes: {} },
  'metadata, another field': { said: { metadata: { department: 'x' } }, becomes: {} },
  'output_config.effort': { said: { output_config: { effort: 'high' } }, becomes: {} },
  'output_config.format': {
    said: { output_config: { format: { type: 'json_schema', schema } } },
    becomes: {},
  },
  'output_config, another field': { said: { output_config: { x_made_up: 1 } }, becomes: {} },
  output_format: { said: { output_format: { type: 'json_schema', schema } }, becomes: {} },
  'service_tier: auto': { said: { service_tier: 'auto' }, becomes: {} },
  'speed: fast': { said: { speed: 'fast' }, becomes: {} },
  'speed: standard': { said: { speed: 'standard' }, becomes: {} },
  stop_sequences: { said: { stop_sequences: ['END'] }, becomes: {} },
  system: { said: { system: 'Be brief' }, becomes: {} },
  temperature: { said: { temperature: 0.5 }, becomes: {} },
  top_p: { said: { top_p: 0.5 }, becomes: {} },
  top_k: { said: { top_k: 5 }, becomes: {} },
  'thinking: enabled': { said: { thinking: { type: 'enabled', budget_tokens: 2_000 } }, becomes: {} },
  'thinking: adaptive': { said: { thinking: { type: 'adaptive' } }, becomes: {} },
  'thinking: adaptive with effort': {
    beside: { output_config: { effort: 'low' } },
    said: { thinking: { type: 'adaptive' } },
    becomes: {},
  },
  'thinking: disabled': { said: { thinking: { type: 'disabled' } }, becomes: {} },
  'thinking.display': {
    beside: { thinking: { type: 'enabled', budget_tokens: 2_000 } },
    said: { thinking: { type: 'enabled', budget_tokens: 2_000, display: 'omitted' } },
    becomes: {},
  },
  'thinking, another field': {
    beside: { thinking: { type: 'adaptive' } },
    said: { thinking: { type: 'adaptive', x_made_up: 1 } },
    becomes: {},
  },
  tools: { said: { tools }, becomes: {} },
  'tool_choice: none': { beside: { tools }, said: { tool_choice: { type: 'none' } }, becomes: {} },
  'tool_choice: any': { beside: { tools }, said: { tool_choice: { type: 'any' } }, becomes: {} },
  'tool_choice: tool': {
    beside: { tools },
    said: { tool_choice: { type: 'tool', name: 'look' } },
    becomes: {},
  },
  'disable_parallel_tool_use, one tool': {
    beside: { tools, tool_choice: { type: 'auto' } },
    said: { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
    becomes: {},
  },
  'disable_parallel_tool_use, two tools': {
    beside: { tools: twoTools, tool_choice: { type: 'auto' } },
    said: { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
    becomes: {},
  },
  'disable_parallel_tool_use: false': {
    beside: { tools: twoTools, tool_choice: { type: 'auto' } },
    said: { tool_choice: { type: 'auto', disable_parallel_tool_use: false } },
    becomes: {},
  },
  'tool_choice, another field': {
    beside: { tools, tool_choice: { type: 'auto' } },
    said: { tool_choice: { type: 'auto', x_made_up: 1 } },
    becomes: {},
  },
  compaction: { said: { compaction: { a: 1 } }, becomes: {} },
  context_management: {
    said: { context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] } },
    becomes: {},
  },
  fallbacks: { said: { fallbacks: [{ model: 'm' }] }, becomes: {} },
  fallback_credit_token: { said: { fallback_credit_token: 'x' }, becomes: {} },
  mcp_servers: {
    said: { mcp_servers: [{ type: 'url', url: 'https://example.com', name: 'm' }] },
    becomes: {},
  },
  user_profile_id: { said: { user_profile_id: 'p' }, becomes: {} },
  workspace_id: { said: { workspace_id: 'w' }, becomes: {} },
  'a field that nobody knows': { said: { x_made_up: 1 }, becomes: {} },

  'system[].cache_control': {
    beside: { system: [hi] },
    said: { system: [{ ...hi, cache_control: ephemeral }] },
    becomes: {},
  },
  'system[].citations': {
    beside: { system: [hi] },
    said: { system: [{ ...hi, citations: [{ type: 'char_location', cited_text: 'x' }] }] },
    becomes: {},
  },
  'system[], another field': {
    beside: { system: [hi] },
    said: { system: [{ ...hi, x_made_up: 1 }] },
    becomes: {},
  },
  'tools[].description': {
    beside: { tools },
    said: { tools: [messagesTool('look', { description: 'Looks' })] },
    becomes: {},
  },
  'tools[].strict': {
    beside: { tools },
    said: { tools: [messagesTool('look', { strict: true })] },
    becomes: {},
  },
  'tools[].cache_control': {
    beside: { tools },
    said: { tools: [messagesTool('look', { cache_control: ephemeral })] },
    becomes: {},
  },
  'tools[].eager_input_streaming': {
    beside: { tools },
    said: { tools: [messagesTool('look', { eager_input_streaming: true })] },
    becomes: {},
  },
  'tools[].allowed_callers': {
    beside: { tools },
    said: { tools: [messagesTool('look', { allowed_callers: ['direct'] })] },
    becomes: {},
  },
  'tools[].input_examples': {
    beside: { tools },
    said: { tools: [messagesTool('look', { input_examples: [{ city: 'Seoul' }] })] },
    becomes: {},
  },
  'tools[].defer_loading': {
    beside: { tools: twoTools },
    said: { tools: [messagesTool('look'), messagesTool('ask', { defer_loading: true })] },
    becomes: {},
  },
  'messages[], another field': {
    said: { messages: [{ role: 'user', content: 'Hello', x_made_up: 1 }] },
    becomes: {},
  },
  'cache_control of text': {
    beside: { messages: userPart(hi) },
    said: { messages: userPart({ ...hi, cache_control: ephemeral }) },
    becomes: {},
  },
  'cache_control of text, 1h': {
    beside: { messages: userPart(hi) },
    said: { messages: userPart({ ...hi, cache_control: { ...ephemeral, ttl: '1h' } }) },
    becomes: {},
  },
  'citations of text': {
    beside: { messages: spoken([hi]) },
    said: { messages: spoken([{ ...hi, citations: [{ type: 'char_location', cited_text: 'x' }] }]) },
    becomes: {},
  },
  'text, another field': {
    beside: { messages: userPart(hi) },
    said: { messages: userPart({ ...hi, x_made_up: 1 }) },
    becomes: {},
  },
  'transformations of image': {
    beside: { messages: userPart({ type: 'image', source: png }) },
    said: { messages: userPart({ type: 'image', source: png, transformations: [{ type: 'x' }] }) },
    becomes: {},
  },
  'title of document': {
    beside: { messages: userPart({ type: 'document', source: pdf }) },
    said: { messages: userPart({ type: 'document', source: pdf, title: 'a.pdf' }) },
    becomes: {},
  },
  'context of document': {
    beside: { messages: userPart({ type: 'document', source: pdf }) },
    said: { messages: userPart({ type: 'document', source: pdf, context: 'c' }) },
    becomes: {},
  },
  'citations of document': {
    beside: { messages: userPart({ type: 'document', source: pdf }) },
    said: { messages: userPart({ type: 'document', source: pdf, citations: { enabled: true } }) },
    becomes: {},
  },
  'document, another field': {
    beside: { messages: userPart({ type: 'document', source: pdf }) },
    said: { messages: userPart({ type: 'document', source: pdf, x_made_up: 1 }) },
    becomes: {},
  },
  'cache_control of tool_use': {
    beside: { tools, messages: messagesLoop() },
    said: { messages: messagesLoop({ call: { cache_control: ephemeral } }) },
    becomes: {},
  },
  'caller of tool_use': {
    beside: { tools, messages: messagesLoop() },
    said: { messages: messagesLoop({ call: { caller: { type: 'direct' } } }) },
    becomes: {},
  },
  'toolset_name of tool_use': {
    beside: { tools, messages: messagesLoop() },
    said: { messages: messagesLoop({ call: { toolset_name: 't' } }) },
    becomes: {},
  },
  'tool_use, another field': {
    beside: { tools, messages: messagesLoop() },
    said: { messages: messagesLoop({ call: { x_made_up: 1 } }) },
    becomes: {},
  },
  'is_error of tool_result': {
    beside: { tools, messages: messagesLoop() },
    said: { messages: messagesLoop({ result: { is_error: true } }) },
    becomes: {},
  },
  'cache_control of tool_result': {
    beside: { tools, messages: messagesLoop() },
    said: { messages: messagesLoop({ result: { cache_control: ephemeral } }) },
    becomes: {},
  },
  'toolset_name of tool_result': {
    beside: { tools, messages: messagesLoop() },
    said: { messages: messagesLoop({ result: { toolset_name: 't' } }) },
    becomes: {},
  },
  'tool_result, another field': {
    beside: { tools, messages: messagesLoop() },
    said: { messages: messagesLoop({ result: { x_made_up: 1 } }) },
    becomes: {},
  },
  'thinking of an earlier turn': {
    beside: { messages: spoken([hi]) },
    said: { messages: spoken([{ type: 'thinking', thinking: 'Hm', signature: 'c2ln' }, hi]) },
    becomes: {},
  },
} satisfies FieldCases;
