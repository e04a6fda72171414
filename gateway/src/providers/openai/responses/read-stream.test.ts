import { describe, expect, test } from 'vitest';
import {
  decode,
  readTranscript,
  type TranscriptName,
} from '../../../../test/support/responses-transcripts.ts';
import { writeOutputItems } from '../../../text/formats/responses/write-answer.ts';
import { ResponsesStreamWriter } from '../../../text/formats/responses/write-stream.ts';
import type { TextEvent } from '../../../text/text-event.ts';
import { readResponsesAnswer } from './read-answer.ts';
import { ResponsesStreamReader } from './read-stream.ts';

function read(name: TranscriptName): { events: TextEvent[]; reader: ResponsesStreamReader } {
  const events: TextEvent[] = [];
  const reader = new ResponsesStreamReader((event) => events.push(event));
  for (const { data } of readTranscript(name)) reader.frame(decode(data));
  return { events, reader };
}

/** The response that a stream ended with, as it would have come in one piece. */
function whole(name: TranscriptName): Buffer {
  const last = JSON.parse(decode(readTranscript(name).at(-1)?.data ?? '')) as { response: object };
  return Buffer.from(JSON.stringify(last.response));
}

const said = (events: TextEvent[], type: TextEvent['type']): string =>
  events.map((event) => (event.type === type && 'text' in event ? event.text : '')).join('');

describe('a responses stream is read', () => {
  test('as text with a finish reason and usage', () => {
    const { events, reader } = read('text');
    expect(said(events, 'text')).toBe('Hello, 안녕 👋');
    expect(events.at(-1)).toEqual({
      type: 'finish',
      answer: 0,
      finish: { reason: 'stop', stopSequence: null, raw: 'completed' },
    });
    expect(reader.complete).toBe(true);
    expect(reader.usage).toMatchObject({ inputTokens: 12, cachedInputTokens: 4, outputTokens: 7 });
  });

  test('with each of two interleaved calls keeping its own arguments', () => {
    const { events } = read('tools');
    const args = (call: number): string =>
      events
        .map((event) => (event.type === 'tool_arguments' && event.call === call ? event.text : ''))
        .join('');
    expect(events.filter((event) => event.type === 'tool_call')).toMatchObject([
      { call: 0, id: 'call_A1', name: 'get_weather' },
      { call: 1, id: 'call_B2', name: 'get_time' },
    ]);
    expect([args(0), args(1)]).toEqual(['{"city":"Seoul"}', '{"zone":"KST"}']);
    expect(events.at(-1)).toMatchObject({ finish: { reason: 'tool_calls' } });
  });

  test('with the parts of a summary as one reasoning text, its proof, and without search items', () => {
    const { events, reader } = read('reasoning');
    expect(said(events, 'reasoning')).toBe('**Weighing**\n\nTwo ways.\n\n**Choosing**');
    expect(events.filter((event) => event.type === 'reasoning_proof')).toEqual([
      {
        type: 'reasoning_proof',
        answer: 0,
        proof: { dialect: 'openai-responses', value: 'rs_68f0c1b0:gAAAAABo8MGi-q2_sealed==' },
      },
    ]);
    expect(said(events, 'text')).toBe('Forty-two.');
    expect(reader.usage?.reasoningTokens).toBe(192);
  });

  test.each([
    ['refusal', 'stop', 'completed'],
    ['incomplete', 'length', 'max_output_tokens'],
  ] as const)('to the end of a %s', (name, reason, raw) => {
    expect(read(name).events.at(-1)).toMatchObject({ finish: { reason, raw } });
  });

  test('until it fails and no further', () => {
    const { events, reader } = read('failed');
    expect(said(events, 'text')).toBe('So f');
    expect(reader.complete).toBe(false);
    expect(reader.fault).toMatchObject({
      reason: 'provider_error',
      error: { code: 'rate_limit_exceeded' },
    });
    reader.frame('{"type":"response.completed","response":{}}');
    expect(reader.complete).toBe(false);
  });

  test.each([
    ['flat', { type: 'error', code: 'server_error', message: 'x', param: null }],
    ['nested', { type: 'error', error: { code: 'server_error', message: 'x' } }],
  ])('with an error event (%s) as a fault', (_, event) => {
    const reader = new ResponsesStreamReader(() => undefined);
    reader.frame(JSON.stringify(event));
    expect(reader.fault).toMatchObject({ reason: 'provider_error', error: { code: 'server_error' } });
  });

  test('with invalid JSON as a fault', () => {
    const reader = new ResponsesStreamReader(() => undefined);
    reader.frame('{"type":');
    expect(reader.fault).toEqual({ reason: 'invalid_frame', error: null });
  });

  test('also if items are complete instead of streamed', () => {
    const events: TextEvent[] = [];
    const reader = new ResponsesStreamReader((event) => events.push(event));
    for (const { data, event } of readTranscript('tools')) {
      if (!event.endsWith('.delta') && !event.endsWith('.added')) reader.frame(decode(data));
    }
    expect(said(events, 'text')).toBe('Let me look.');
    expect(said(events, 'tool_arguments')).toBe('{"city":"Seoul"}{"zone":"KST"}');
    expect(reader.complete).toBe(true);
  });
});

describe('a whole response', () => {
  test.each(['text', 'tools', 'reasoning', 'refusal', 'incomplete', 'image'] as const)(
    'has the items, the end and the usage of the stream: %s',
    (name) => {
      const { events, reader } = read(name);
      const called = { ...context, request: { model: 'm', input: 'x' } };
      const writer = new ResponsesStreamWriter(called);
      for (const event of events) writer.event(event);
      const result = readResponsesAnswer(whole(name));
      expect(result?.usage).toEqual(reader.usage);
      expect(result?.answers[0]?.finish).toEqual((events.at(-1) as { finish: object }).finish);
      expect(result && writeOutputItems(result, called)).toEqual(writer.output());
    },
  );

  test.each([
    ['no JSON', '<html>'],
    ['no output', '{"object":"response"}'],
    ['a failure', '{"object":"response","status":"failed","output":[]}'],
  ])('that is %s is not an answer', (_, body) => {
    expect(readResponsesAnswer(Buffer.from(body))).toBeNull();
  });
});

const context = { callId: 'req_1', model: 'm', createdSeconds: 1, answers: 1 };
