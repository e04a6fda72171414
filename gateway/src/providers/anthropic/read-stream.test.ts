import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { SseFramer } from '../../kernel/framing.ts';
import type { TextEvent } from '../../text/text-event.ts';
import { readAnthropicAnswer } from './read-answer.ts';
import { AnthropicStreamReader } from './read-stream.ts';

function framesOf(name: string): string[] {
  const frames: string[] = [];
  const framer = new SseFramer({ charactersMax: 100_000, onFrame: (data) => frames.push(data) });
  framer.push(readFileSync(new URL(`fixtures/${name}.sse`, import.meta.url), 'utf8'));
  return frames;
}

function read(frames: readonly string[]): { reader: AnthropicStreamReader; events: TextEvent[] } {
  const events: TextEvent[] = [];
  const reader = new AnthropicStreamReader((event) => events.push(event));
  for (const frame of frames) reader.frame(frame);
  return { reader, events };
}

const finishOf = (events: readonly TextEvent[]) =>
  events.flatMap((event) => (event.type === 'finish' ? [event.finish] : []));

describe('a streamed message', () => {
  test('emits its text and its finish, and has final usage only then', () => {
    const frames = framesOf('text');
    const { events, reader } = read(frames);
    expect(events).toEqual([
      { type: 'text', answer: 0, text: '안녕' },
      { type: 'text', answer: 0, text: '하세요! "stop_reason"' },
      { type: 'finish', answer: 0, finish: { reason: 'stop', stopSequence: null, raw: 'end_turn' } },
    ]);
    expect([reader.complete, reader.usage?.outputTokens]).toEqual([true, 15]);
    const early = read(frames.slice(0, 5)).reader;
    expect([early.complete, early.usage]).toEqual([false, null]);
    expect(early.usageSoFar).toMatchObject({ inputTokens: 25, outputTokens: 1 });
  });

  test('is complete with its stop reason, even without an end marker', () => {
    expect(read(framesOf('text').slice(0, -1)).reader.complete).toBe(true);
    expect(read(framesOf('text').slice(0, -2)).reader.complete).toBe(false);
  });

  test('with only a progress event has not ended', () => {
    const underWay = { type: 'message_delta', delta: { stop_reason: null }, usage: { output_tokens: 9 } };
    const frames = framesOf('text');
    const { reader, events } = read([...frames.slice(0, 4), JSON.stringify(underWay)]);
    expect([reader.complete, reader.usage, finishOf(events)]).toEqual([false, null, []]);
    expect(reader.usageSoFar?.outputTokens).toBe(9);
  });

  test('numbers its tool calls from 0, and calls without arguments get an empty object', () => {
    const { events } = read(framesOf('tool-use'));
    expect(events.slice(1)).toEqual([
      {
        type: 'tool_call',
        answer: 0,
        call: 0,
        name: 'get_weather',
        proof: null,
        id: 'toolu_01T1x1fJ34qAmk2tNTrN7Up6',
      },
      { type: 'tool_arguments', answer: 0, call: 0, text: '{"city":' },
      { type: 'tool_arguments', answer: 0, call: 0, text: ' "Seoul {\\"한\\"}"}' },
      {
        type: 'tool_call',
        answer: 0,
        call: 1,
        name: 'get_time',
        proof: null,
        id: 'toolu_01A09q90qw90lq917835lq9',
      },
      { type: 'tool_arguments', answer: 0, call: 1, text: '{}' },
      { type: 'finish', answer: 0, finish: { reason: 'tool_calls', stopSequence: null, raw: 'tool_use' } },
    ]);
  });

  test('emits reasoning with its proof, and only the proof of redacted reasoning', () => {
    const { events, reader } = read(framesOf('thinking'));
    expect(events.slice(0, 4)).toEqual([
      { type: 'reasoning', answer: 0, text: 'Let me' },
      { type: 'reasoning', answer: 0, text: ' think.' },
      {
        type: 'reasoning_proof',
        answer: 0,
        proof: { dialect: 'anthropic', value: 'EqQBCgIYAhIM1gbcDa9GJwZA2b3h' },
      },
      {
        type: 'reasoning_proof',
        answer: 0,
        proof: { dialect: 'anthropic-sealed', value: 'EmwKAhgBEgy3va3pzix/LafPsn4a' },
      },
    ]);
    expect(reader.usage?.reasoningTokens).toBe(100);
  });

  test('counts cached tokens as input and keeps counts that the last event omits', () => {
    const { events, reader } = read(framesOf('cached'));
    expect(reader.usage).toEqual({
      inputTokens: 1_205,
      cachedInputTokens: 1_000,
      cacheWriteTokens: 200,
      outputTokens: 3,
      reasoningTokens: 0,
    });
    expect(finishOf(events)).toEqual([
      { reason: 'stop_sequence', stopSequence: 'END', raw: 'stop_sequence' },
    ]);
  });

  test.each([
    ['max-tokens', 'length'],
    ['refusal', 'content_filter'],
  ])('that ends with %s has the finish reason %s', (name, reason) => {
    expect(finishOf(read(framesOf(name)).events)).toMatchObject([{ reason }]);
  });

  test('with an error has a fault, keeps its counts so far, and is never complete', () => {
    const { reader } = read([...framesOf('error'), ...framesOf('text')]);
    expect(reader.fault).toEqual({
      reason: 'provider_error',
      error: { type: 'overloaded_error', message: 'Overloaded' },
    });
    expect([reader.complete, reader.usage]).toEqual([false, null]);
    expect(reader.usageSoFar?.inputTokens).toBe(33);
  });

  test.each([
    ['is no JSON', ['{"type":'], 'invalid_frame'],
    ['is a list', ['[]'], 'invalid_frame'],
    ['is of a kind nobody knows', ['{"type":"message_hum","index":0}'], undefined],
  ])('with a frame that %s has the expected fault', (_, frames, reason) => {
    expect(read(frames).reader.fault?.reason).toBe(reason);
  });

  test('ignores what comes after its end marker', () => {
    const { reader } = read(['{"type":"message_stop"}', ...framesOf('text')]);
    expect(reader.complete).toBe(false);
  });

  test.each([
    ['negative', { input_tokens: -7, cache_read_input_tokens: 10 }],
    ['broken', { input_tokens: 12.5 }],
    ['missing', { input_tokens: undefined }],
    ['huge', { input_tokens: 1e30 }],
  ])('with %s counts has no usage', (_, wrong) => {
    const usage = { output_tokens: 1, ...wrong };
    const end = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage };
    const { reader } = read([JSON.stringify(end)]);
    expect([reader.complete, reader.usage]).toEqual([true, null]);
  });
});

describe('a whole message', () => {
  const message = {
    type: 'message',
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'c2VhbA==' },
      { type: 'text', text: 'Hello' },
      { type: 'server_tool_use', id: 'srv', name: 'web_search', input: {} },
      { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: [1] } },
    ],
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage: {
      input_tokens: 2,
      cache_read_input_tokens: 3,
      cache_creation_input_tokens: null,
      output_tokens: 4,
    },
  };
  const answer = (changes: object) =>
    readAnthropicAnswer(Buffer.from(JSON.stringify({ ...message, ...changes })));

  test('is read block by block', () => {
    expect(answer({})).toEqual({
      answers: [
        {
          parts: [
            { type: 'reasoning', text: 'Hm.', proof: { dialect: 'anthropic', value: 'c2ln' } },
            { type: 'reasoning', text: '', proof: { dialect: 'anthropic-sealed', value: 'c2VhbA==' } },
            { type: 'text', text: 'Hello' },
            { type: 'tool_call', id: 'toolu_1', name: 'f', arguments: '{"a":[1]}', proof: null },
          ],
          finish: { reason: 'tool_calls', stopSequence: null, raw: 'tool_use' },
        },
      ],
      usage: {
        inputTokens: 5,
        cachedInputTokens: 3,
        cacheWriteTokens: 0,
        outputTokens: 4,
        reasoningTokens: 0,
      },
    });
  });

  test.each([[{ type: 'error' }], [{ content: 'text' }], [{ content: null }]])(
    'that has %o is none',
    (changes) => {
      expect(answer(changes)).toBeNull();
    },
  );
});
