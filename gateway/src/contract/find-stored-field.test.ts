import { describe, expect, test } from 'vitest';
import { findStoredField } from './find-stored-field.ts';

describe('a field that names something stored at a provider is found', () => {
  test.each([
    ['chat', { messages: [{ content: 'a' }, { audio: { id: 'audio_1' } }] }, 'messages[1].audio.id'],
    [
      'messages',
      { messages: [{ content: [{ type: 'tool_result', content: [{ source: { file_id: 'f' } }] }] }] },
      'messages[0].content[0].content[0].source.file_id',
    ],
    [
      'messages',
      { messages: [{ content: [{ type: 'r', content: { type: 'x', content: [{ file_id: 'f' }] } }] }] },
      'messages[0].content[0].content.content[0].file_id',
    ],
    [
      'responses',
      { tools: [{ type: 'function' }, { type: 'code_interpreter', container: 'c' }] },
      'tools[1].container',
    ],
    [
      'responses',
      {
        tools: [{ type: 'azure_ai_search', azure_ai_search: { indexes: [{ project_connection_id: 'p' }] } }],
      },
      'tools[0].azure_ai_search.indexes[0].project_connection_id',
    ],
    [
      'responses',
      { input: [{ type: 'additional_tools', tools: [{ type: 'file_search', vector_store_ids: ['v'] }] }] },
      'input[0].tools[0].vector_store_ids',
    ],
    [
      'responses',
      { input: [{ type: 'code_interpreter_call', container_id: 'cntr_1' }] },
      'input[0].container_id',
    ],
  ] as const)('in %s %j', (format, request, path) => {
    expect(findStoredField(format, request)?.path).toBe(path);
  });
});

describe('nothing is found', () => {
  test.each([
    ['chat', null],
    ['chat', 'text'],
    ['chat', { messages: 'text' }],
    ['chat', { messages: [null, 1, 'a', { content: null }, { audio: null }] }],
    ['chat', { tools: [{ type: 'function', function: { parameters: { properties: { file_id: {} } } } }] }],
    ['messages', { thread: null, container: {}, messages: [{ content: 'file_id' }] }],
    ['messages', { messages: [{ content: [{ type: 'tool_use', input: { file_id: 'f' } }] }] }],
    ['responses', { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }],
    ['responses', { tools: [{ type: 'file_search', vector_store_ids: [] }] }],
    ['responses', { tools: [{ type: 'mcp', server_url: 'https://x', headers: { 'x-user_id': '1' } }] }],
    ['responses', { tools: [{ type: 'namespace', tools: [{ type: 'function', parameters: { a_id: 1 } }] }] }],
    ['responses', { input: [{ type: 'mcp_list_tools', tools: [{ input_schema: { user_id: 1 } }] }] }],
    [
      'responses',
      { input: [{ content: [{ type: 'output_text', annotations: [{ file_id: 'f', container_id: 'c' }] }] }] },
    ],
  ] as const)('in %s %j', (format, request) => {
    expect(findStoredField(format, request)).toBeNull();
  });
});
