import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { SseFramer } from '../../kernel/framing.ts';
import type { TextEvent } from '../../text/text-event.ts';
import { readGoogleAnswer } from './read-answer.ts';
import { GoogleStreamReader } from './read-stream.ts';
import { readGoogleUsage } from './read-usage.ts';

const recorded = (name: string): string => readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');

function read(...frames: string[]): { reader: GoogleStreamReader; events: TextEvent[] } {
  const events: TextEvent[] = [];
  const reader = new GoogleStreamReader('req_AbC', (event) => events.push(event));
  for (const frame of frames) reader.frame(frame);
  return { reader, events };
}

function framesOf(transcript: string): string[] {
  const frames: string[] = [];
  new SseFramer({ charactersMax: 100_000, onFrame: (data) => frames.push(data) }).push(transcript);
  return frames;
}

describe('a stream', () => {
  test('emits reasoning, text, the signature and the finish, in this order', () => {
    const { events, reader } = read(...framesOf(recorded('text.sse')));
    expect(events).toEqual([
      { type: 'reasoning', answer: 0, text: '**Weighing the words**\n\nThe user greets me.' },
      { type: 'text', answer: 0, text: '안녕' },
      { type: 'text', answer: 0, text: '하세요!' },
      {
        type: 'reasoning_proof',
        answer: 0,
        proof: { dialect: 'google', value: 'EqQECqEEAdHtim9kdGV4dA==' },
      },
      { type: 'finish', answer: 0, finish: { reason: 'stop', stopSequence: null, raw: 'STOP' } },
    ]);
    expect(reader.complete).toBe(true);
    expect(reader.usage).toEqual({
      inputTokens: 9,
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 35,
      reasoningTokens: 30,
    });
  });

  test('that has not ended has counts so far, but no final usage', () => {
    const { reader } = read(...framesOf(recorded('text.sse')).slice(0, 2));
    expect(reader.complete).toBe(false);
    expect(reader.usage).toBeNull();
    expect(reader.usageSoFar).toMatchObject({ inputTokens: 9, outputTokens: 32 });
  });

  test('keeps the ids of tool calls, generates missing ids, and keeps proofs', () => {
    const { events, reader } = read(...framesOf(recorded('tools.sse')));
    const proof = { dialect: 'google', value: 'EqQECqEEAdHtim9kY2FsbA==' };
    expect(events).toEqual([
      { type: 'tool_call', answer: 0, call: 0, id: 'fc_91', name: 'get_weather', proof },
      { type: 'tool_arguments', answer: 0, call: 0, text: '{"city":"Seoul"}' },
      { type: 'tool_call', answer: 0, call: 1, id: 'call_AbC_1', name: 'get_time', proof: null },
      { type: 'tool_arguments', answer: 0, call: 1, text: '{"city":"Seoul"}' },
      { type: 'finish', answer: 0, finish: { reason: 'tool_calls', stopSequence: null, raw: 'STOP' } },
    ]);
    expect(reader.usage).toMatchObject({ inputTokens: 84, outputTokens: 99, reasoningTokens: 68 });
  });

  test('with several answers is complete when the last answer is', () => {
    const chunk = (index: number, finishReason?: string): string =>
      JSON.stringify({ candidates: [{ index, content: { parts: [{ text: 'x' }] }, finishReason }] });
    const { reader } = read(chunk(0), chunk(1), chunk(0, 'STOP'));
    expect(reader.complete).toBe(false);
    reader.frame(chunk(1, 'STOP'));
    expect(reader.complete).toBe(true);
  });

  test.each([
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['LANGUAGE', 'content_filter'],
    ['BLOCKLIST', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['SPII', 'content_filter'],
    ['IMAGE_SAFETY', 'content_filter'],
    ['MALFORMED_FUNCTION_CALL', 'stop'],
    ['OTHER', 'stop'],
  ])('that ends with %s has the finish reason %s and keeps the original one', (raw, reason) => {
    const { events } = read(JSON.stringify({ candidates: [{ finishReason: raw }] }));
    expect(events).toEqual([{ type: 'finish', answer: 0, finish: { reason, stopSequence: null, raw } }]);
  });

  test('for a blocked prompt is complete and has no content', () => {
    const { reader, events } = read(JSON.stringify(JSON.parse(recorded('blocked.json'))));
    expect(events).toMatchObject([{ finish: { reason: 'content_filter', raw: 'PROHIBITED_CONTENT' } }]);
    expect(reader.complete).toBe(true);
    expect(reader.usage).toMatchObject({ inputTokens: 11, outputTokens: 0 });
  });

  test('is not read further after an error or invalid JSON', () => {
    const broken = read('{"candidates":[{"content":{"parts":[{"te', '{"candidates":[]}');
    expect(broken.reader.fault).toEqual({ reason: 'invalid_frame', error: null });
    const error = { code: 503, status: 'UNAVAILABLE' };
    const failed = read(JSON.stringify({ error }), '{"candidates":[{"finishReason":"STOP"}]}');
    expect(failed.reader.fault).toEqual({ reason: 'provider_error', error });
    expect([failed.reader.complete, failed.events]).toEqual([false, []]);
  });
});

const reading = { callId: 'req_AbC' };

describe('a whole answer', () => {
  test('has all answers, with their parts in order and joined', () => {
    const result = readGoogleAnswer(Buffer.from(recorded('answer.json')), reading);
    const proof = { dialect: 'google', value: 'EqQECqEEAdHtim9kdGhvdWdodA==' };
    expect(result?.answers).toEqual([
      {
        parts: [
          { type: 'reasoning', text: 'A red square, then.', proof },
          { type: 'text', text: 'Here is your picture.' },
          { type: 'image', mediaType: 'image/png', base64: 'iVBORw0KGgo=' },
        ],
        finish: { reason: 'stop', stopSequence: null, raw: 'STOP' },
      },
      { parts: [], finish: { reason: 'length', stopSequence: null, raw: 'MAX_TOKENS' } },
    ]);
    expect(result?.usage).toEqual({
      inputTokens: 127,
      cachedInputTokens: 100,
      cacheWriteTokens: 0,
      outputTokens: 52,
      reasoningTokens: 12,
    });
  });

  test('to a blocked prompt is empty and has the reason', () => {
    const result = readGoogleAnswer(Buffer.from(recorded('blocked.json')), reading);
    expect(result?.answers).toEqual([
      { parts: [], finish: { reason: 'content_filter', stopSequence: null, raw: 'PROHIBITED_CONTENT' } },
    ]);
  });

  test.each(['', '<html>', '[]', '{}', '{"candidates":[]}', '{"error":{"code":500}}'])(
    'is not: %s',
    (text) => {
      expect(readGoogleAnswer(Buffer.from(text), reading)).toBeNull();
    },
  );
});

test.each([
  null,
  {},
  { promptTokenCount: -7, candidatesTokenCount: 1 },
  { promptTokenCount: 7, candidatesTokenCount: 12.75 },
  { promptTokenCount: 7, cachedContentTokenCount: 8 },
  { promptTokenCount: '7' },
])('implausible counts are ignored: %o', (counts) => {
  expect(readGoogleUsage(counts)).toBeNull();
});
