import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkResponseEvent } from '../../../../test/support/openai-schemas.ts';
import {
  decode,
  eventsIn,
  type Frame,
  readTranscript,
  type StreamedEvent,
  sdkResponse,
  type TranscriptName,
  transcripts,
} from '../../../../test/support/responses-transcripts.ts';
import type { ResponsesRequest } from '../../../contract/responses.ts';
import { Problem } from '../../../kernel/problem.ts';
import { parseUnits } from '../../../kernel/units.ts';
import { ResponsesStreamRelay } from './relay-stream.ts';

const COST = parseUnits('0.5');
const request: ResponsesRequest = {
  model: 'ours',
  input: 'hi',
  previous_response_id: 'resp_before',
  metadata: { 이름: '값' },
};
const context = { request, callId: 'req_01', model: 'ours', createdSeconds: 1, answers: 1 };
const problem = new Problem('upstream_error', { detail: 'It broke.' });

function relay(frames: readonly Frame[]): { stream: ResponsesStreamRelay; sent: string[] } {
  const stream = new ResponsesStreamRelay(context);
  return { stream, sent: frames.map(({ data, event }) => stream.frame(data, event)) };
}

const whole = (name: TranscriptName): { stream: ResponsesStreamRelay; events: StreamedEvent[] } => {
  const { stream, sent } = relay(readTranscript(name));
  return { stream, events: eventsIn(sent.join('') + stream.ending({ usage: null, cost: COST })) };
};

describe('the relay of a responses stream', () => {
  test('passes frames on byte for byte, with their event line, in one piece', () => {
    const frames = readTranscript('text');
    const { sent } = relay(frames);
    for (const [i, { data, event }] of frames.entries()) {
      if (i > 1 && i < frames.length - 1) expect(sent[i]).toBe(`event: ${event}\ndata: ${data}\n\n`);
    }
  });

  test("has our id and model and the caller's settings in every response object", () => {
    const { events } = whole('text');
    const shown = events.flatMap(({ response }) => (response === undefined ? [] : [response]));
    expect(shown).toHaveLength(3);
    for (const response of shown) {
      expect(response).toMatchObject({
        id: 'resp_01',
        model: 'ours',
        store: true,
        previous_response_id: 'resp_before',
        metadata: { 이름: '값' },
      });
    }
  });

  test('changes nothing else in them', () => {
    const last = JSON.parse(decode(readTranscript('text').at(-1)?.data ?? '')) as StreamedEvent;
    const { response } = whole('text').events.at(-1) as StreamedEvent;
    expect(response).toEqual({
      ...last.response,
      id: 'resp_01',
      model: 'ours',
      store: true,
      previous_response_id: 'resp_before',
      metadata: { 이름: '값' },
      estimated_cost: expect.objectContaining({ amount: '0.5' }),
    });
  });

  test('holds the end back until the cost is known', () => {
    const { stream, sent } = relay(readTranscript('text'));
    expect(sent.at(-1)).toBe('');
    expect(stream.complete).toBe(true);
    expect(stream.finishReason).toBe('completed');
    expect(stream.usage).toMatchObject({ inputTokens: 12, cachedInputTokens: 4, outputTokens: 7 });
    expect(stream.frame('{"type":"response.output_text.delta"}', 'response.output_text.delta')).toBe('');
  });

  test('has the counted usage if the provider sent none, and no unknown cost', () => {
    const frames = readTranscript('text').map((frame) => ({
      ...frame,
      data: frame.data.replace(/"usage":\{.*\},"user"/, '"usage":null,"user"'),
    }));
    const { stream } = relay(frames);
    expect(stream.usage).toBeNull();
    const counted = {
      inputTokens: 1,
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 2,
      reasoningTokens: 0,
    };
    const ending = stream.ending({ usage: counted, cost: null });
    expect(ending).toContain('"usage":{"input_tokens":1,');
    expect(ending).not.toContain('estimated_cost');
  });

  test('knows what was produced, for counting', () => {
    const texts = relay(readTranscript('tools').slice(0, -1)).stream.produced().texts;
    expect(texts).toEqual(['Let me look.', '{"city":', '{"zone":', '"Seoul"}', '"KST"}']);
  });

  test('reads the type from the data where there is no event line', () => {
    const { stream, sent } = relay(readTranscript('text').map(({ data }) => ({ data, event: '' })));
    expect(stream.complete).toBe(true);
    expect(sent[4]).toMatch(/^event: response\.output_text\.delta\n/);
  });

  test('drops keep-alives', () => {
    expect(relay([{ event: 'keepalive', data: '{"type":"keepalive","sequence_number":3}' }]).sent).toEqual([
      '',
    ]);
  });

  test.each(['text', 'tools', 'reasoning', 'refusal', 'incomplete', 'image'] as const)(
    'gives what the schemas and the official SDK expect, and the items to keep: %s',
    async (name) => {
      const { stream, events } = whole(name);
      for (const event of events) checkResponseEvent(event);
      const { output } = await sdkResponse(events);
      expect(output).toMatchObject(stream.output() as object[]);
    },
  );

  test('finds the items if the last event does not repeat them', () => {
    const frames = readTranscript('tools');
    const expected = relay(frames).stream.output();
    const last = { event: 'response.completed', data: '{"type":"response.completed","response":{}}' };
    expect(relay([...frames.slice(0, -1), last]).stream.output()).toEqual(expected);
  });
});

describe('a relayed stream that fails', () => {
  test("replaces the provider's error with ours, with the next sequence number", () => {
    const { stream, sent } = relay(readTranscript('failed'));
    expect(stream.complete).toBe(false);
    expect(stream.fault).toMatchObject({
      reason: 'provider_error',
      error: { code: 'rate_limit_exceeded' },
    });
    const events = eventsIn(sent.join('') + stream.failure(problem, 'req_01'));
    expect(JSON.stringify(events)).not.toContain('org-');
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      error_ref: 'req_01',
      error: { code: 'upstream_error', message: 'It broke.', error_ref: 'req_01' },
      response: { id: 'resp_01', status: 'failed', error: { code: 'upstream_error', error_ref: 'req_01' } },
    });
  });

  test('is understood by the official SDK', async () => {
    for (const cut of [0, 1, 3, 5]) {
      const { stream, sent } = relay(readTranscript('text').slice(0, cut));
      const events = eventsIn(sent.join('') + stream.failure(problem, 'req_01'));
      expect(await sdkResponse(events)).toMatchObject({ status: 'failed' });
    }
  });

  test.each([
    ['a broken frame', '{"type":"response.created"', 'response.created'],
    ['plain text', 'hello', ''],
    ['an end without a response', '{"type":"response.completed"}', 'response.completed'],
  ])('by %s is never complete', (_, data, event) => {
    const { stream } = relay([{ data, event }, ...readTranscript('text')]);
    expect(stream.complete).toBe(false);
    expect(stream.fault).toEqual({ reason: 'invalid_frame', error: null });
  });

  test('survives any frames', () => {
    const frames = transcripts.flatMap(readTranscript);
    const anyFrame = fc.oneof(
      fc.constantFrom(...frames),
      fc.record({
        data: fc.oneof(fc.string(), fc.json()),
        event: fc.constantFrom(...frames.map((f) => f.event)),
      }),
      fc.tuple(fc.constantFrom(...frames), fc.nat(), fc.string({ maxLength: 3 })).map(([frame, at, text]) => {
        const i = at % (frame.data.length + 1);
        return { ...frame, data: frame.data.slice(0, i) + text + frame.data.slice(i + text.length) };
      }),
    );
    fc.assert(
      fc.property(fc.array(anyFrame, { maxLength: 8 }), (some) => {
        const { stream } = relay(some);
        stream.produced();
        stream.output();
        stream.ending({ usage: null, cost: COST });
        stream.failure(problem, 'req_01');
        if (stream.complete) expect(stream.fault).toBeNull();
      }),
      { numRuns: 1_000 },
    );
  });
});
