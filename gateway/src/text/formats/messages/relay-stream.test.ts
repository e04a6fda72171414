import { describe, expect, test } from 'vitest';
import type { MessagesRequest } from '../../../contract/messages.ts';
import { SseFramer } from '../../../kernel/framing.ts';
import { Problem } from '../../../kernel/problem.ts';
import { parseUnits } from '../../../kernel/units.ts';
import { MessagesStreamRelay } from './relay-stream.ts';

const request: MessagesRequest = {
  model: 'ours',
  max_tokens: 9,
  messages: [{ role: 'user', content: 'ninechars' }],
};
const COST = parseUnits('0.5');
const USED = {
  inputTokens: 3,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 9,
  reasoningTokens: 0,
};

const usage = {
  input_tokens: 5,
  cache_creation_input_tokens: 2,
  cache_read_input_tokens: 3,
  output_tokens: 1,
};
const start = {
  type: 'message_start',
  message: { id: 'msg_1', model: 'up-2026', content: [], usage: { ...usage, service_tier: 'standard' } },
};
const delta = (text: string) => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text },
});
const end = (rest: object = { usage: { output_tokens: 7 } }) => ({
  type: 'message_delta',
  delta: { stop_reason: 'end_turn', stop_sequence: null },
  ...rest,
});
const stop = { type: 'message_stop' };
const block = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
const whole = [start, block, { type: 'ping' }, delta('안녕 "stop_reason":"end_turn"'), end(), stop];

function relay(events: ReadonlyArray<{ type: string }>, named = true) {
  const stream = new MessagesStreamRelay({ model: 'ours', request });
  const sent = events.map((event) =>
    stream.frame(Buffer.from(JSON.stringify(event)).toString('latin1'), named ? event.type : ''),
  );
  return { stream, sent };
}

/** What a client reads from byte strings: the events and what they are called. */
function readEvents(bytes: string): Array<{ name: string; event: Record<string, unknown> }> {
  const events: Array<{ name: string; event: Record<string, unknown> }> = [];
  const onFrame = (data: string, name: string): void => {
    events.push({ name, event: JSON.parse(Buffer.from(data, 'latin1').toString('utf8')) });
  };
  new SseFramer({ charactersMax: 1e6, onFrame }).push(bytes);
  return events;
}

describe('the relay of a message stream', () => {
  test('passes events on under their names, byte for byte', () => {
    const { sent } = relay(whole);
    for (const i of [1, 2, 3]) {
      const shown = Buffer.from(sent[i] as string, 'latin1').toString('utf8');
      expect(shown).toBe(`event: ${whole[i]?.type}\ndata: ${JSON.stringify(whole[i])}\n\n`);
    }
  });

  test('adds event names if the provider sends none', () => {
    expect(relay(whole, false).sent).toEqual(relay(whole).sent);
  });

  test('starts with our model code and the usage so far', () => {
    const [begun] = readEvents(relay(whole).sent[0] as string);
    expect(begun).toEqual({
      name: 'message_start',
      event: { ...start, message: { ...start.message, model: 'ours' } },
    });
  });

  test('starts with an estimate if the provider sends no usage', () => {
    const { stream, sent } = relay([{ ...start, message: { id: 'msg_1' } } as { type: string }]);
    expect(readEvents(sent[0] as string)[0]?.event).toMatchObject({
      message: { usage: { input_tokens: 3, output_tokens: 0 } },
    });
    expect(stream.usageSoFar).toBeNull();
  });

  test('holds the stop reason until the cost is known, then ends with all counts', () => {
    const { stream, sent } = relay(whole);
    expect(sent.slice(4)).toEqual(['', '']);
    expect([stream.complete, stream.finishReason]).toEqual([true, 'end_turn']);
    expect(stream.usage).toEqual({
      inputTokens: 10,
      cachedInputTokens: 3,
      cacheWriteTokens: 2,
      outputTokens: 7,
      reasoningTokens: 0,
    });
    const [last, stopped, ...more] = readEvents(stream.ending({ usage: stream.usage, cost: COST }));
    expect(last).toMatchObject({
      name: 'message_delta',
      event: {
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { ...usage, output_tokens: 7 },
        estimated_cost: { amount: '0.5', currency: 'unit' },
      },
    });
    expect([stopped, more]).toEqual([{ name: 'message_stop', event: stop }, []]);
  });

  test('leaves the cost out when it is not known', () => {
    const [last] = readEvents(relay(whole).stream.ending({ usage: USED, cost: null }));
    expect(last?.event).not.toHaveProperty('estimated_cost');
  });

  test.each([
    ['missing', {}],
    ['a text', { usage: 'none' }],
    ['absurd', { usage: { input_tokens: -7, output_tokens: 12.75 } }],
  ])("has the counted usage if the provider's usage is %s", (_, rest) => {
    const { stream } = relay([start, end(rest)]);
    expect([stream.complete, stream.usage]).toEqual([true, null]);
    expect(stream.usageSoFar?.inputTokens).toBe(10);
    const [last] = readEvents(stream.ending({ usage: USED, cost: COST }));
    expect(last?.event.usage).toMatchObject({ input_tokens: 3, output_tokens: 9 });
  });

  test('relays progress events and uses the last counts as final', () => {
    const underWay = { ...end(), delta: { stop_reason: null } };
    const { stream, sent } = relay([start, underWay, end({ usage: { output_tokens: 20 } })]);
    expect(readEvents(sent[1] as string)).toEqual([{ name: 'message_delta', event: underWay }]);
    expect(stream.usage?.outputTokens).toBe(20);
  });

  test('merges several end events into one', () => {
    const more = { type: 'message_delta', delta: { stop_reason: null }, usage: { output_tokens: 30 } };
    const { stream, sent } = relay([start, end(), more, stop]);
    expect(sent.slice(1).join('')).toBe('');
    const events = readEvents(stream.ending({ usage: stream.usage, cost: null }));
    expect(events.map(({ name }) => name)).toEqual(['message_delta', 'message_stop']);
    expect(events[0]?.event).toMatchObject({
      delta: { stop_reason: 'end_turn' },
      usage: { output_tokens: 30 },
    });
  });

  test.each<[string, Array<{ type: string }>]>([
    ['an end marker first', [stop, ...whole]],
    ['no stop reason', whole.slice(0, 4)],
    ['an error', [start, { type: 'error', error: { type: 'overloaded_error' } } as { type: string }, end()]],
    ['an error after the stop reason', [start, end(), { type: 'error' }]],
    ['an event of no type', [{} as { type: string }, end()]],
  ])('is never complete after %s', (_, events) => {
    expect(relay(events, false).stream.complete).toBe(false);
  });

  test.each([['[DONE]'], ['{"type":"message_delta",}'], ['hello'], ['']])('is broken by %j', (data) => {
    const stream = new MessagesStreamRelay({ model: 'ours', request });
    expect(stream.frame(data, 'message_delta')).toBe('');
    expect(stream.fault?.reason).toBe('invalid_frame');
  });

  test("keeps a provider's error for the call record and does not send it", () => {
    const error = { type: 'overloaded_error', message: 'Overloaded' };
    const { stream, sent } = relay([start, { type: 'error', error } as { type: string }]);
    expect([sent[1], stream.fault]).toEqual(['', { reason: 'provider_error', error }]);
  });

  test('fails with an event that has the reference, and with no end marker', () => {
    const { stream } = relay(whole.slice(0, 4));
    const problem = new Problem('upstream_error', { detail: '없다' });
    expect(readEvents(stream.failure(problem, 'req_1'))).toEqual([
      {
        name: 'error',
        event: {
          type: 'error',
          detail: '없다',
          error_ref: 'req_1',
          error: {
            type: 'upstream_error',
            message: '없다',
            code: 'upstream_error',
            param: null,
            detail: '없다',
            error_ref: 'req_1',
          },
        },
      },
    ]);
  });

  test('knows what was produced, for counting', () => {
    const call = { type: 'content_block_start', content_block: { type: 'tool_use', name: 'f', input: {} } };
    const args = {
      type: 'content_block_delta',
      delta: { type: 'input_json_delta', partial_json: '{"x":1}' },
    };
    const thought = { type: 'content_block_delta', delta: { type: 'thinking_delta', thinking: '흠' } };
    const { texts, restCharacters } = relay([
      start,
      delta('ab'),
      call,
      args,
      thought,
      end(),
    ]).stream.produced();
    expect([texts.join('|'), restCharacters]).toEqual(['ab|f|{"x":1}|흠', 0]);
  });
});
