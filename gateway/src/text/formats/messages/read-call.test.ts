import { describe, expect, test } from 'vitest';
import type { MessagesRequest } from '../../../contract/messages.ts';
import { readMessagesCall } from './read-call.ts';
import { countImages, readMessagesFeatures, readMessagesPromptTexts } from './read-features.ts';

const good: MessagesRequest = { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] };
const read = (changes: object) => readMessagesCall({ ...good, ...changes });
const blocks = (role: string, ...content: object[]) => ({ messages: [{ role, content }] });
const PNG = { type: 'base64', media_type: 'image/png', data: 'aQ==' };

describe('a request in neutral words', () => {
  test('has the fields that the caller set and no others', () => {
    expect(read({})).toEqual({
      messages: [{ role: 'user', parts: [{ type: 'text', text: 'hi' }], at: 'messages[0]' }],
      stream: false,
      tools: [],
      toolChoice: null,
      parallelTools: null,
      responseFormat: { type: 'text' },
      outputTokensMax: 5,
      temperature: null,
      topP: null,
      topK: null,
      stop: [],
      answers: 1,
      reasoning: null,
      seed: null,
      frequencyPenalty: null,
      presencePenalty: null,
      verbosity: null,
      user: null,
      cacheKey: null,
    });
    const all = { temperature: 0.1, top_p: 0.2, top_k: 3, stop_sequences: ['a'], stream: true };
    expect(read({ ...all, metadata: { user_id: 'u' } })).toMatchObject({
      temperature: 0.1,
      topP: 0.2,
      topK: 3,
      stop: ['a'],
      stream: true,
      user: 'u',
    });
  });

  test('starts with the instructions in one message', () => {
    const system = [
      { type: 'text', text: 'A', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: 'B' },
    ];
    expect(read({ system }).messages[0]).toEqual({ role: 'system', text: 'A\nB', cache: '5m' });
    expect(read({ system: '' }).messages).toHaveLength(1);
  });

  test('has tool results as separate messages before the text beside them', () => {
    const { messages } = read(
      blocks(
        'user',
        { type: 'text', text: 'So?' },
        { type: 'tool_result', tool_use_id: 'a', content: 'one' },
        { type: 'tool_result', tool_use_id: 'b', is_error: true, content: [{ type: 'image', source: PNG }] },
        { type: 'tool_result', tool_use_id: 'c' },
      ),
    );
    const image = { kind: 'data', mediaType: 'image/png', base64: 'aQ==' };
    expect(messages).toMatchObject([
      { role: 'tool', callId: 'a', isError: false, parts: [{ type: 'text', text: 'one' }] },
      { role: 'tool', callId: 'b', isError: true, parts: [{ type: 'image', source: image, detail: null }] },
      { role: 'tool', callId: 'c', isError: false, parts: [] },
      { role: 'user', parts: [{ type: 'text', text: 'So?' }] },
    ]);
    expect(messages.map(({ at }) => at)).toEqual(messages.map(() => 'messages[0]'));
  });

  test("has the model's turns, with reasoning and its proofs", () => {
    const [message] = read(
      blocks(
        'assistant',
        { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
        { type: 'thinking', thinking: 'Hm.', signature: '' },
        { type: 'thinking', thinking: 'Hm.', signature: 'google.c2ln' },
        { type: 'redacted_thinking', data: 'c2VhbA==' },
        { type: 'redacted_thinking', data: 'google.c2ln' },
        { type: 'text', text: 'Yes.', citations: null },
        { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
      ),
    ).messages;
    const thought = (text: string, dialect: string | null, value = 'c2ln') => ({
      type: 'reasoning',
      text,
      proof: dialect === null ? null : { dialect, value },
    });
    expect(message).toEqual({
      role: 'assistant',
      at: 'messages[0]',
      parts: [
        thought('Hm.', 'anthropic'),
        thought('Hm.', null),
        thought('Hm.', 'google'),
        thought('', 'anthropic-sealed', 'c2VhbA=='),
        thought('', 'google'),
        { type: 'text', text: 'Yes.' },
        { type: 'tool_call', id: 'a', name: 'f', arguments: '{"x":1}', proof: null },
      ],
    });
  });

  test('attaches the proof before a tool call to that call only', () => {
    const [message] = read(
      blocks(
        'assistant',
        { type: 'redacted_thinking', data: 'call.google.dg==' },
        { type: 'tool_use', id: 'a', name: 'f', input: {} },
        { type: 'redacted_thinking', data: 'google.dg==' },
        { type: 'tool_use', id: 'b', name: 'f', input: {} },
      ),
    ).messages;
    const proof = { dialect: 'google', value: 'dg==' };
    expect(message).toMatchObject({
      parts: [
        { id: 'a', proof },
        { type: 'reasoning', text: '', proof },
        { id: 'b', proof: null },
      ],
    });
  });

  test('has documents as files, and plain text documents as text', () => {
    const pdf = { type: 'base64', media_type: 'application/pdf', data: 'cGRm' };
    const [message] = read(
      blocks(
        'user',
        { type: 'document', source: pdf, title: 'a.pdf' },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'words' }, title: 'T' },
        { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'block' }] } },
        { type: 'image', source: { type: 'url', url: 'https://a/b.png' } },
      ),
    ).messages;
    expect(message).toMatchObject({
      parts: [
        {
          type: 'file',
          name: 'a.pdf',
          source: { kind: 'data', mediaType: 'application/pdf', base64: 'cGRm' },
        },
        { type: 'text', text: 'T' },
        { type: 'text', text: 'words' },
        { type: 'text', text: 'block' },
        { type: 'image', source: { kind: 'url', url: 'https://a/b.png' } },
      ],
    });
  });

  test('has the tools and the tool choice', () => {
    const tools = [{ name: 'f', description: 'F', input_schema: { type: 'object' }, cache_control: {} }];
    expect(read({ tools }).tools).toEqual([
      { name: 'f', description: 'F', parameters: { type: 'object' }, strict: null },
    ]);
    const choice = (tool_choice: object) => {
      const { toolChoice, parallelTools } = read({ tools, tool_choice });
      return [toolChoice, parallelTools];
    };
    expect(choice({ type: 'auto' })).toEqual(['auto', null]);
    expect(choice({ type: 'any', disable_parallel_tool_use: true })).toEqual(['required', false]);
    expect(choice({ type: 'tool', name: 'f' })).toEqual([{ name: 'f' }, null]);
    expect(choice({ type: 'none' })).toEqual(['none', null]);
  });

  test('has the reasoning options, and an effort of none if thinking is off', () => {
    const thinking = (changes: object) => read(changes).reasoning;
    expect(thinking({ thinking: { type: 'enabled', budget_tokens: 2_000 } })).toEqual({
      effort: null,
      tokensMax: 2_000,
      shown: true,
    });
    const adaptive = { thinking: { type: 'adaptive', display: 'omitted' }, output_config: { effort: 'low' } };
    expect(thinking(adaptive)).toEqual({ effort: 'low', tokensMax: null, shown: false });
    expect(thinking({ thinking: { type: 'adaptive' } })).toMatchObject({ effort: null, adaptive: true });
    for (const type of ['disabled', 'between_tools'])
      expect(thinking({ thinking: { type } })).toMatchObject({ effort: 'none', implied: true });
    expect(thinking({ output_config: { effort: 'max' } })).toMatchObject({ effort: 'max', shown: false });
  });

  test.each(['output_config', 'output_format'])('has the schema in %s', (field) => {
    const format = { type: 'json_schema', schema: { type: 'object' } };
    const given = { [field]: field === 'output_config' ? { format } : format };
    expect(read(given).responseFormat).toMatchObject({ type: 'json_schema', schema: { type: 'object' } });
    expect(readMessagesFeatures({ ...good, ...given }).responseFormat).toBe('json_schema');
  });

  test('ignores fields that do not affect the answer', () => {
    const harmless = { cache_control: { type: 'ephemeral' }, service_tier: 'standard_only', mcp_servers: [] };
    expect(() => read(harmless)).not.toThrow();
  });

  test('keeps system messages within the conversation in place', () => {
    const system = { role: 'system', content: [{ type: 'text', text: 'A', cache_control: {} }] };
    const { messages } = read({ messages: [...good.messages, system, { role: 'system', content: 'B' }] });
    expect(messages.slice(1)).toEqual([
      { role: 'system', text: 'A', at: 'messages[1]' },
      { role: 'system', text: 'B', at: 'messages[2]' },
    ]);
  });

  test('has only the deferred tools that the conversation refers to', () => {
    const tool = (name: string, more: object = {}) => ({ name, input_schema: { type: 'object' }, ...more });
    const deferred = { defer_loading: true };
    const tools = [
      tool('a'),
      tool('b', deferred),
      tool('c', deferred),
      tool('d', deferred),
      tool('e', deferred),
    ];
    const names = (changes: object) => read({ tools, ...changes }).tools.map(({ name }) => name);
    expect(names({})).toEqual(['a']);
    expect(names({ tool_choice: { type: 'tool', name: 'e' } })).toEqual(['a', 'e']);
    const messages = [
      { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'd', input: {} }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: '1', content: [{ type: 'tool_reference', tool_name: 'b' }] },
        ],
      },
    ];
    expect(names({ messages })).toEqual(['a', 'b', 'd']);
    expect(read({ messages }).messages[1]).toMatchObject({
      parts: [{ type: 'text', text: 'The tool b is loaded.' }],
    });
  });

  test('drops what only its own provider can use', () => {
    const context_management = { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] };
    expect(read({ context_management })).toEqual(read({}));
  });

  test.each<[string, object, string]>([
    ['a field', { container: 'c' }, 'container: Extra inputs are not permitted'],
    [
      'a field of a tool',
      { tools: [{ name: 'f', input_schema: {}, allowed_callers: ['x'] }] },
      'tools.0.custom.allowed_callers: Extra inputs are not permitted',
    ],
    [
      'a kind of tool',
      { tools: [{ type: 'bash_20250124', name: 'bash' }] },
      "tools.0.type: Input should not be 'bash_20250124'",
    ],
  ])("rejects %s in the provider's form", (_, changes, words) => {
    expect(() => read(changes)).toThrow(words);
  });

  test.each<[string, object]>([
    ['container', { container: 'c' }],
    ['service_tier', { service_tier: 'priority' }],
    ['tools[0].type', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
    ['tools[0].input_examples', { tools: [{ name: 'f', input_schema: {}, input_examples: [{}] }] }],
    ['messages[0].content[0].type', blocks('user', { type: 'search_result', source: 'x' })],
    ['messages[0].content[0].type', blocks('assistant', { type: 'server_tool_use', id: 'x' })],
    ['messages[0].content[0].source.type', blocks('user', { type: 'image', source: { type: 'file' } })],
    [
      'messages[0].content[0].source.data',
      blocks('user', { type: 'image', source: { ...PNG, data: undefined } }),
    ],
    [
      'messages[0].content[0].citations',
      blocks('user', { type: 'document', citations: { enabled: true }, source: PNG }),
    ],
    ['messages[0].content[0].context', blocks('user', { type: 'document', context: 'x', source: PNG })],
  ])('is rejected if a field has no neutral meaning: %s', (param, changes) => {
    expect(() => read(changes)).toThrow(expect.objectContaining({ code: 'invalid_parameter', param }));
  });
});

test('all text and images of a prompt are counted, including tool results', () => {
  const request: MessagesRequest = {
    ...good,
    system: 'sys',
    messages: [
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'a',
            content: [
              { type: 'text', text: 'in' },
              { type: 'image', source: PNG },
            ],
          },
          { type: 'image', source: PNG },
          { type: 'document', source: { type: 'text', data: 'doc' } },
          { type: 'tool_use', id: 'b', name: 'f', input: { a: 1 } },
        ] as object[] as Array<{ type: string }>,
      },
    ],
  };
  expect(countImages(request)).toBe(2);
  expect(readMessagesPromptTexts(request).filter((text) => text !== '')).toEqual([
    'sys',
    'in',
    'doc',
    'f',
    '{"a":1}',
  ]);
});
