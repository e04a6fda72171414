import { describe, expect, test } from 'vitest';
import { encodePng } from './brain/png.ts';
import { countTokens } from './brain/tokens.ts';
import { clock, create, events, refusal, say, send, simulator, weather } from './testing/anthropic-stage.ts';
import type { Wire } from './testing/call-simulator.ts';

const thinking = { type: 'enabled', budget_tokens: 1_024 };

describe('a message', () => {
  test('has the fields and the headers of Anthropic', async () => {
    const heard = await send({ messages: [{ role: 'user', content: 'Reply with exactly: hi' }] });
    expect(JSON.parse(heard.text)).toEqual({
      model: 'sim-chat-20260101',
      id: expect.stringMatching(/^msg_01\w{22}$/),
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'hi' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: {
        input_tokens: countTokens('Reply with exactly: hi'),
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
        output_tokens: 1,
        service_tier: 'standard',
      },
    });
    expect(heard.headers).toMatchObject({
      'request-id': simulator.calls.at(-1)?.id,
      'anthropic-ratelimit-requests-remaining': expect.any(String),
      'anthropic-organization-id': expect.any(String),
    });
  });

  test.each<[string, string, Wire, Wire]>([
    ['the cap', 'Tell me.', { max_tokens: 3 }, { stop_reason: 'max_tokens' }],
    [
      'a stop sequence',
      'Reply with exactly: one two three',
      { stop_sequences: ['x', 'two'] },
      { stop_reason: 'stop_sequence', stop_sequence: 'two', content: [{ type: 'text', text: 'one ' }] },
    ],
    ['the filter', '[[filter]]', {}, { stop_reason: 'refusal' }],
    ['a refusal', '[[refuse]]', {}, { stop_reason: 'refusal' }],
    ['a tool', 'get_time', { tools: [clock] }, { stop_reason: 'tool_use' }],
    [
      'the end of the context',
      'Write 900 words.',
      { model: 'sim-small-context' },
      { stop_reason: 'model_context_window_exceeded' },
    ],
    [
      'an empty text',
      'Reply with exactly: stop',
      { stop_sequences: ['stop'] },
      { stop_reason: 'stop_sequence', content: [] },
    ],
  ])('tells that %s ended it', async (_, prompt, more, expected) => {
    expect(await say(prompt, more)).toMatchObject(expected);
  });

  test('counts what was read from the cache and what was written to it apart from the rest', async () => {
    const system = '[[cached 3]] You are brief. [[cache-write 4]]';
    const { usage } = await say('Reply with exactly: hi', { system });
    expect(usage).toMatchObject({
      cache_read_input_tokens: 3,
      cache_creation_input_tokens: 4,
      input_tokens: countTokens(system) + countTokens('Reply with exactly: hi') - 7,
    });
  });

  test('fits the schema asked for, in the newer and in the older way', async () => {
    const schema = {
      type: 'object',
      properties: { name: { type: 'string' } },
      required: ['name'],
      additionalProperties: false,
    };
    const format = { type: 'json_schema', schema };
    const beta = { 'anthropic-beta': 'structured-outputs-2025-11-13' };
    const messages = [{ role: 'user', content: 'Tell me.' }];
    for (const { content } of [
      await create({ messages, output_config: { format } }),
      await create({ messages, output_format: format }, beta),
    ]) {
      expect(JSON.parse(content[0]?.text as string)).toEqual({ name: expect.any(String) });
    }
    expect(await refusal({ output_format: format })).toBe('output_format: Extra inputs are not permitted');
  });

  test('describes pictures by their colour or their address', async () => {
    const data = encodePng({ red: 0, green: 0, blue: 220 }, 8).toString('base64');
    const look = async (source: Wire): Promise<unknown> =>
      (await create({ messages: [{ role: 'user', content: [{ type: 'image', source }] }] })).content[0]?.text;
    expect(await look({ type: 'base64', media_type: 'image/png', data })).toContain('blue');
    expect(await look({ type: 'url', url: 'https://127.0.0.1:1/cat.png' })).toContain('127.0.0.1:1/cat.png');
  });

  test('can be counted beforehand', async () => {
    const prompt = { system: 'Brief.', messages: [{ role: 'user', content: 'Tell me.' }], tools: [weather] };
    const { usage } = await create(prompt);
    const heard = await send({ ...prompt, max_tokens: undefined }, {}, '/count_tokens');
    expect(JSON.parse(heard.text)).toEqual({ input_tokens: usage.input_tokens });
  });
});

describe('tools', () => {
  test('are called with an object, and two at once where that is allowed', async () => {
    const prompt = 'Call get_weather and get_time.';
    const { content } = await say(prompt, { tools: [weather, clock] });
    expect(content).toEqual([
      {
        type: 'tool_use',
        id: expect.stringMatching(/^toolu_01\w{22}$/),
        name: 'get_weather',
        input: { city: 'Daejeon' },
      },
      { type: 'tool_use', id: expect.stringMatching(/^toolu_/), name: 'get_time', input: {} },
    ]);
    const one = { tools: [weather, clock], tool_choice: { type: 'auto', disable_parallel_tool_use: true } };
    expect((await say(prompt, one)).content).toHaveLength(1);
  });

  test.each([
    [{ type: 'any' }, 'hello', ['get_weather']],
    [{ type: 'tool', name: 'get_time' }, 'get_weather', ['get_time']],
    [{ type: 'none' }, 'get_weather', []],
  ])('are chosen by %j', async (tool_choice, prompt, names) => {
    const { content } = await say(prompt, { tools: [weather, clock], tool_choice });
    expect(content.filter((block) => block.type === 'tool_use').map((block) => block.name)).toEqual(names);
  });

  const call = (id: string): Wire => ({ type: 'tool_use', id, name: 'get_time', input: {} });
  const result = (id: string): Wire => ({ type: 'tool_result', tool_use_id: id, content: 'half past nine' });
  const history = (calls: Wire[], results: unknown): Wire => ({
    tools: [clock],
    messages: [
      { role: 'user', content: 'get_time' },
      { role: 'assistant', content: calls },
      { role: 'user', content: results },
    ],
  });

  test('that answered are quoted, be it in one message or in two', async () => {
    for (const body of [
      history([call('a'), call('b')], [result('a'), { ...result('b'), is_error: true }]),
      history([call('a')], [{ ...result('a'), content: [{ type: 'text', text: 'half past nine' }] }]),
    ]) {
      expect((await create(body)).content[0]?.text).toContain('half past nine');
    }
  });

  test('have to be answered, all of them, at once and first', async () => {
    const calls = [call('a'), call('b')];
    const open =
      /^messages\.1: `tool_use` ids were found without `tool_result` blocks immediately after: b\./;
    expect(await refusal(history(calls, [result('a')]))).toMatch(open);
    expect(await refusal(history(calls, [result('a'), { type: 'text', text: 'x' }, result('b')]))).toMatch(
      open,
    );
    expect(await refusal(history([call('a')], [result('a'), result('c')]))).toMatch(
      /^messages\.2\.content\.1: unexpected `tool_use_id` found in `tool_result` blocks: c\./,
    );
  });
});

describe('thinking', () => {
  test('comes first, signed, and is part of the output', async () => {
    const prompt = 'Reply with exactly: hi';
    const { content, usage } = await say(prompt, { thinking });
    expect(content).toEqual([
      { type: 'thinking', thinking: `Thinking about: ${prompt}…`, signature: expect.any(String) },
      { type: 'text', text: 'hi' },
    ]);
    expect(usage.output_tokens).toBeGreaterThan(10);
    const without = await say(prompt, { thinking: { type: 'disabled' } });
    expect(without).toMatchObject({
      content: [{ type: 'text' }],
      usage: { output_tokens: 1 },
    });
  });

  test('may be sent as its signature alone, or sealed', async () => {
    const omitted = await say('hi', { thinking: { type: 'adaptive', display: 'omitted' } });
    expect(omitted.content[0]).toMatchObject({ thinking: '', signature: expect.stringMatching(/./) });
    const sealed = await say('[[redact]] hi', { thinking });
    expect(sealed.content[0]).toEqual({ type: 'redacted_thinking', data: expect.any(String) });
  });

  test('is taken back as it was, and in no other way', async () => {
    const { content } = await say('get_time', { thinking, tools: [clock] });
    const sealed = (await say('[[redact]] hi', { thinking })).content[0] as Wire;
    const [thought = {}, called = {}] = content as Wire[];
    const again = (blocks: Wire[]): Wire => ({
      thinking,
      tools: [clock],
      messages: [
        { role: 'user', content: 'get_time' },
        { role: 'assistant', content: blocks },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: called.id, content: 'half past nine' }],
        },
      ],
    });
    expect((await create(again([thought, called]))).content.at(-1)?.text).toContain('half past nine');
    expect((await send(again([sealed, called]))).status).toBe(200);
    const changed = { ...thought, thinking: 'Something else' };
    expect(await refusal(again([changed, called]))).toBe(
      'messages.1.content.0: Invalid `signature` in `thinking` block',
    );
    expect(await refusal(again([{ ...sealed, data: 'abc' }, called]))).toContain('Invalid `data`');
    expect(await refusal(again([called]))).toContain('Expected `thinking` or `redacted_thinking`');
    expect((await send({ ...again([called]), thinking: { type: 'adaptive' } })).status).toBe(200);
  });
});

describe('a stream', () => {
  test('is a start, blocks in pieces, a delta and a stop', async () => {
    const got = await events('Reply with exactly: Hello there', { system: '[[cached 2]] Be brief.' });
    expect(got.map((event) => event.type)).toEqual([
      'message_start',
      'content_block_start',
      'ping',
      'content_block_delta',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(got[0]).toMatchObject({
      message: {
        content: [],
        stop_reason: null,
        usage: { cache_read_input_tokens: 2, output_tokens: 1 },
      },
    });
    expect(got[1]).toMatchObject({ index: 0, content_block: { type: 'text', text: '' } });
    expect(got[3]).toMatchObject({ index: 0, delta: { type: 'text_delta', text: 'Hell' } });
    expect(got[7]).toMatchObject({
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: 3, cache_read_input_tokens: 2 },
    });
  });

  test('tells thinking and its signature, then calls in fragments', async () => {
    const got = await events('get_weather', { thinking, tools: [weather] });
    const deltas = got.flatMap((event) => (event.delta ?? []) as Wire[]);
    expect(deltas.map((delta) => delta.thinking ?? '').join('')).toBe('Thinking about: get_weather…');
    expect(deltas.filter((delta) => delta.type === 'signature_delta')).toHaveLength(1);
    expect(got.filter((event) => event.type === 'content_block_start')).toMatchObject([
      { index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
      { index: 1, content_block: { type: 'tool_use', name: 'get_weather', input: {} } },
    ]);
    const fragments = deltas.filter((delta) => delta.type === 'input_json_delta');
    expect(fragments[0]).toEqual({ type: 'input_json_delta', partial_json: '' });
    expect(JSON.parse(fragments.map((delta) => delta.partial_json).join(''))).toEqual({ city: 'Daejeon' });
  });

  test('tells of an error as an event', async () => {
    expect((await events('[[fault error-in-stream]] Write 20 words.')).at(-1)).toEqual({
      type: 'error',
      error: { type: 'overloaded_error', message: 'Overloaded' },
    });
  });
});
