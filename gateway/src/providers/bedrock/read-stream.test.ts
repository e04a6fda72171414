import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { TextEvent } from '../../text/text-event.ts';
import { readBedrockAnswer } from './read-answer.ts';
import { BedrockStreamReader } from './read-stream.ts';
import { readBedrockUsage } from './read-usage.ts';

const recorded = (name: string): string => readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');

type Frame = readonly [event: string, payload: unknown];

const framesOf = (name: string): Frame[] =>
  recorded(name)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { event: string; payload: unknown })
    .map(({ event, payload }) => [event, payload] as const);

const calling = { mayCallTools: true };

function read(
  frames: readonly Frame[],
  reading = calling,
): { reader: BedrockStreamReader; events: TextEvent[] } {
  const events: TextEvent[] = [];
  const reader = new BedrockStreamReader(reading, (event) => events.push(event));
  for (const [event, payload] of frames) {
    reader.frame(typeof payload === 'string' ? payload : JSON.stringify(payload), event);
  }
  return { reader, events };
}

const proof = { dialect: 'bedrock', value: 'EqQBCkYIARgCKkAsaW1h' };
const usage = {
  inputTokens: 1_214,
  cachedInputTokens: 1_000,
  cacheWriteTokens: 200,
  outputTokens: 41,
  reasoningTokens: 0,
};

describe('a stream', () => {
  test('emits reasoning with its proof, text and the finish, and counts cached tokens as input', () => {
    const { reader, events } = read(framesOf('text.jsonl'));
    expect(events).toEqual([
      { type: 'reasoning', answer: 0, text: 'The user ' },
      { type: 'reasoning', answer: 0, text: 'greets me.' },
      { type: 'reasoning_proof', answer: 0, proof },
      { type: 'text', answer: 0, text: '안녕' },
      { type: 'text', answer: 0, text: '하세요!' },
      { type: 'finish', answer: 0, finish: { reason: 'stop', stopSequence: null, raw: 'end_turn' } },
    ]);
    expect([reader.complete, reader.usage]).toEqual([true, usage]);
  });

  test('emits tool calls with their arguments in pieces, and an empty object if there are none', () => {
    const { events } = read(framesOf('tools.jsonl'));
    expect(events.slice(1)).toEqual([
      {
        type: 'tool_call',
        answer: 0,
        call: 0,
        id: 'tooluse_kZJMlvQmRJ6e',
        name: 'get_weather',
        proof: null,
      },
      { type: 'tool_arguments', answer: 0, call: 0, text: '{"city": "Se' },
      { type: 'tool_arguments', answer: 0, call: 0, text: 'oul"}' },
      { type: 'tool_call', answer: 0, call: 1, id: 'tooluse_b81xVw3TQ0yN', name: 'get_time', proof: null },
      { type: 'tool_arguments', answer: 0, call: 1, text: '{}' },
      { type: 'finish', answer: 0, finish: { reason: 'tool_calls', stopSequence: null, raw: 'tool_use' } },
    ]);
  });

  test('is complete at the end of the message, although the counts come later', () => {
    const all = framesOf('text.jsonl');
    expect(read(all.slice(0, -2)).reader).toMatchObject({ complete: false, usage: null });
    expect(read(all.slice(0, -1)).reader).toMatchObject({ complete: true, usage: null });
  });

  test.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop_sequence'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['guardrail_intervened', 'content_filter'],
    ['content_filtered', 'content_filter'],
    ['malformed_model_output', 'stop'],
  ])('that ends with %s has the finish reason %s and keeps the original one', (raw, reason) => {
    const { events } = read([['messageStop', { stopReason: raw }]]);
    expect(events).toMatchObject([{ finish: { reason, raw } }]);
  });

  test('is not read further after an exception or invalid JSON', () => {
    const failed = read([
      ['exception/throttlingException', { message: 'Too many' }],
      ['messageStop', { stopReason: 'end_turn' }],
    ]);
    expect(failed.reader.fault).toEqual({
      reason: 'provider_error',
      error: { type: 'throttlingException', message: 'Too many' },
    });
    expect([failed.reader.complete, failed.events]).toEqual([false, []]);
    expect(read([['corrupt', '']]).reader.fault).toEqual({ reason: 'invalid_frame', error: null });
  });
});

describe('a whole answer', () => {
  test('has its parts in order, with the proofs of its reasoning', () => {
    const result = readBedrockAnswer(Buffer.from(recorded('answer.json')), calling);
    expect(result).toEqual({
      answers: [
        {
          parts: [
            { type: 'reasoning', text: 'Weather, then.', proof },
            { type: 'reasoning', text: '', proof: { dialect: 'bedrock', value: 'sealed:c2VhbGVk' } },
            { type: 'text', text: 'Let me look.' },
            {
              type: 'tool_call',
              id: 'tooluse_kZJMlvQmRJ6e',
              name: 'get_weather',
              arguments: '{"city":"Seoul"}',
              proof: null,
            },
          ],
          finish: { reason: 'tool_calls', stopSequence: null, raw: 'tool_use' },
        },
      ],
      usage,
    });
  });

  test('shows no tool call where the caller allowed none', () => {
    const quiet = { mayCallTools: false };
    const result = readBedrockAnswer(Buffer.from(recorded('answer.json')), quiet);
    expect(result?.answers[0]?.parts.map(({ type }) => type)).toEqual(['reasoning', 'reasoning', 'text']);
    expect(result?.answers[0]?.finish).toEqual({ reason: 'stop', stopSequence: null, raw: 'tool_use' });
    const frames: Frame[] = [
      ['contentBlockStart', { contentBlockIndex: 0, start: { toolUse: { toolUseId: 'a', name: 'f' } } }],
      ['contentBlockDelta', { contentBlockIndex: 0, delta: { toolUse: { input: '{}' } } }],
      ['contentBlockStop', { contentBlockIndex: 0 }],
      ['messageStop', { stopReason: 'tool_use' }],
    ];
    expect(read(frames, quiet).events).toEqual([
      { type: 'finish', answer: 0, finish: { reason: 'stop', stopSequence: null, raw: 'tool_use' } },
    ]);
  });

  test.each(['', '<html>', '[]', '{}', '{"message":"no"}', '{"output":{}}'])('is not: %s', (text) => {
    expect(readBedrockAnswer(Buffer.from(text), calling)).toBeNull();
  });
});

test.each([
  null,
  {},
  { inputTokens: 1 },
  { inputTokens: -7, outputTokens: 1 },
  { inputTokens: 7, outputTokens: 12.75 },
  { inputTokens: 7, outputTokens: 1, cacheReadInputTokens: -1 },
])('implausible counts are ignored: %o', (counts) => {
  expect(readBedrockUsage({ usage: counts })).toBeNull();
});
