import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkResponse, checkResponseEvent } from '../../../../test/support/openai-schemas.ts';
import {
  decode,
  eventsIn,
  readTranscript,
  type StreamedEvent,
  sdkResponse,
} from '../../../../test/support/responses-transcripts.ts';
import type { ResponsesRequest } from '../../../contract/responses.ts';
import { toByteString } from '../../../kernel/byte-string.ts';
import { FrameTooLong } from '../../../kernel/framing.ts';
import { Problem } from '../../../kernel/problem.ts';
import { parseUnits } from '../../../kernel/units.ts';
import { ResponsesStreamReader } from '../../../providers/openai/responses/read-stream.ts';
import type { TextEvent } from '../../text-event.ts';
import type { FinishReason, TextResult } from '../../text-result.ts';
import { writeOutputItems, writeResponsesAnswer } from './write-answer.ts';
import { ResponsesStreamWriter } from './write-stream.ts';

const COST = parseUnits('0.5');
const usage = {
  inputTokens: 3,
  cachedInputTokens: 1,
  cacheWriteTokens: 0,
  outputTokens: 4,
  reasoningTokens: 2,
};
const request: ResponsesRequest = {
  model: 'ours',
  input: 'hi',
  instructions: 'Be brief.',
  temperature: 0.2,
  tools: [{ type: 'function', name: 'f' }],
  response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } },
  metadata: { a: 'b' },
  store: false,
};
const context = { request, callId: 'req_01', model: 'ours', createdSeconds: 1_700_000_000, answers: 1 };

const finish = (reason: FinishReason): TextEvent => ({
  type: 'finish',
  answer: 0,
  finish: { reason, stopSequence: null, raw: reason },
});
const text = (words: string): TextEvent => ({ type: 'text', answer: 0, text: words });
const thought = (words: string): TextEvent => ({ type: 'reasoning', answer: 0, text: words });
const call = (n: number, id = `call_${n}`): TextEvent => ({
  type: 'tool_call',
  answer: 0,
  call: n,
  id,
  name: `f${n}`,
  proof: null,
});
const args = (n: number, words: string): TextEvent => ({
  type: 'tool_arguments',
  answer: 0,
  call: n,
  text: words,
});

function write(events: readonly TextEvent[]): { sent: StreamedEvent[]; writer: ResponsesStreamWriter } {
  const writer = new ResponsesStreamWriter(context);
  const frames = events.map((event) => writer.event(event)).join('');
  return { sent: eventsIn(toByteString(frames + writer.ending({ usage, cost: COST }))), writer };
}

const types = (events: readonly StreamedEvent[]): string[] =>
  events.map(({ type }) => type.replace('response.', ''));

describe('an answer is streamed', () => {
  test('in the order that clients expect, with sequence numbers', () => {
    const { sent } = write([text('Hel'), text('lo'), finish('stop')]);
    expect(types(sent)).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ]);
    expect(sent[4]).toEqual({
      type: 'response.output_text.delta',
      sequence_number: 4,
      item_id: 'msg_01_0',
      output_index: 0,
      content_index: 0,
      delta: 'Hel',
      logprobs: [],
    });
  });

  test('with its usage and cost in the response that ends it', () => {
    const { response } = write([text('x'), finish('stop')]).sent.at(-1) as StreamedEvent;
    expect(response).toMatchObject({
      id: 'resp_01',
      status: 'completed',
      model: 'ours',
      instructions: 'Be brief.',
      temperature: 0.2,
      store: false,
      metadata: { a: 'b' },
      text: { format: { type: 'json_schema', name: 'x', schema: { type: 'object' } } },
      tools: [{ type: 'function', name: 'f', strict: null }],
      usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7 },
      estimated_cost: { amount: '0.5', currency: 'unit' },
    });
  });

  test('without a cost that is not known', () => {
    const writer = new ResponsesStreamWriter(context);
    writer.event(text('x'));
    writer.event(finish('stop'));
    expect(writer.ending({ usage, cost: null })).not.toContain('estimated_cost');
  });

  test('with interleaved tool calls at their own output index', () => {
    const { sent } = write([
      call(0),
      call(1),
      args(1, '{"b"'),
      args(0, '{}'),
      args(1, ':1}'),
      finish('tool_calls'),
    ]);
    const deltas = sent.filter(({ type }) => type.endsWith('.delta'));
    expect(deltas.map((event) => [event.output_index, event.item_id, event.delta])).toEqual([
      [1, 'fc_01_1', '{"b"'],
      [0, 'fc_01_0', '{}'],
      [1, 'fc_01_1', ':1}'],
    ]);
    expect(sent.at(-1)?.response?.output).toMatchObject([
      { type: 'function_call', call_id: 'call_0', name: 'f0', arguments: '{}', status: 'completed' },
      { type: 'function_call', call_id: 'call_1', name: 'f1', arguments: '{"b":1}', status: 'completed' },
    ]);
  });

  test('with valid arguments and a call id, even if the provider sent neither', () => {
    const { sent } = write([call(0, ''), finish('tool_calls')]);
    expect(sent.at(-1)?.response?.output).toMatchObject([{ call_id: 'call_01_0', arguments: '{}' }]);
    expect(sent.find(({ type }) => type.endsWith('.delta'))).toMatchObject({ delta: '{}' });
  });

  test('with reasoning as a summary and its proof as encrypted content', () => {
    const proof = { dialect: 'anthropic', value: 'sig' };
    const { sent } = write([
      thought('hm'),
      { type: 'reasoning_proof', answer: 0, proof },
      text('x'),
      finish('stop'),
    ]);
    expect(types(sent).slice(2, 8)).toEqual([
      'output_item.added',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
      'output_item.done',
    ]);
    expect(sent.at(-1)?.response).toHaveProperty('output.0', {
      id: 'rs_01_0',
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'hm' }],
      encrypted_content: 'anthropic.sig',
    });
  });

  test('with the proof of a tool call right before it', () => {
    const proof = { dialect: 'google', value: 'sig' };
    const { sent } = write([{ ...call(0), proof } as TextEvent, args(0, '{}'), finish('tool_calls')]);
    expect(sent.at(-1)?.response?.output).toMatchObject([
      { type: 'reasoning', summary: [], encrypted_content: 'google:call.sig' },
      { type: 'function_call' },
    ]);
  });

  test.each([
    ['length', 'max_output_tokens'],
    ['content_filter', 'content_filter'],
  ] as const)('as incomplete after %s, with the truncated item', (reason, shown) => {
    const { sent } = write([text('It was'), finish(reason)]);
    expect(sent.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: {
        status: 'incomplete',
        incomplete_details: { reason: shown },
        output: [{ status: 'incomplete' }],
      },
    });
  });

  test('with only the truncated call as incomplete', () => {
    const { sent } = write([call(0), args(0, '{}'), call(1), args(1, '{"a'), finish('length')]);
    expect(sent.at(-1)?.response?.output).toMatchObject([
      { status: 'completed', arguments: '{}' },
      { status: 'incomplete', arguments: '{"a' },
    ]);
  });

  test('with an empty message if it succeeded without text', () => {
    expect(write([finish('stop')]).sent.at(-1)?.response?.output).toMatchObject([
      { type: 'message', content: [{ type: 'output_text', text: '' }] },
    ]);
  });

  test('with an image as the result of its generation', () => {
    const image: TextEvent = { type: 'image', answer: 0, mediaType: 'image/png', base64: 'iVBO' };
    const { sent } = write([image, finish('stop')]);
    expect(types(sent).slice(2)).toEqual(['output_item.added', 'output_item.done', 'completed']);
    expect(sent.at(-1)?.response?.output).toMatchObject([
      { id: 'ig_01_0', type: 'image_generation_call', status: 'completed', result: 'iVBO' },
    ]);
  });
});

test('an answer too long to be repeated in one event is refused like a frame that is', () => {
  const writer = new ResponsesStreamWriter(context);
  const megabyte = 'x'.repeat(1024 * 1024);
  const speak = (): void => {
    for (let i = 0; i < 65; i++) writer.event(text(megabyte));
  };
  expect(speak).toThrow(FrameTooLong);
});

describe('a stream that fails', () => {
  const problem = new Problem('upstream_error', { detail: 'It broke.' });

  test('says so in its last event, with our code and the reference', () => {
    const writer = new ResponsesStreamWriter(context);
    const frames = writer.event(text('So f')) + writer.failure(problem, 'req_01');
    expect(eventsIn(frames).at(-1)).toMatchObject({
      type: 'response.failed',
      error_ref: 'req_01',
      error: { code: 'upstream_error', message: 'It broke.', error_ref: 'req_01' },
      response: {
        status: 'failed',
        error: { code: 'upstream_error', message: 'It broke.', error_ref: 'req_01' },
        output: [{ status: 'incomplete', content: [{ text: 'So f' }] }],
      },
    });
  });

  test('before its first event still sends response.created', () => {
    const events = eventsIn(new ResponsesStreamWriter(context).failure(problem, 'req_01'));
    expect(types(events)).toEqual(['created', 'failed']);
  });

  test('is understood by the official SDK', async () => {
    const writer = new ResponsesStreamWriter(context);
    const frames = writer.event(text('So f')) + writer.event(call(0)) + writer.failure(problem, 'req_01');
    expect(await sdkResponse(eventsIn(frames))).toMatchObject({ status: 'failed' });
  });
});

/** Any answer: events in an order that a provider could send. */
const anyAnswer = fc
  .array(
    fc.oneof(
      fc.string().map(text),
      fc.string().map(thought),
      fc.string().map((words): TextEvent => ({ type: 'refusal', answer: 0, text: words })),
      fc.string().map(
        (value): TextEvent => ({
          type: 'reasoning_proof',
          answer: 0,
          proof: { dialect: 'anthropic', value },
        }),
      ),
      fc.constant<TextEvent>({ type: 'image', answer: 0, mediaType: 'image/webp', base64: 'UklG' }),
      fc.constant('call' as const),
      fc.tuple(fc.nat(3), fc.string()).map(([n, words]) => args(n, words)),
    ),
    { maxLength: 20 },
  )
  .map((steps) => {
    let calls = 0;
    return steps.map((step) => (step === 'call' ? call(calls++) : step));
  });
const anyReason = fc.constantFrom<FinishReason>('stop', 'length', 'tool_calls', 'content_filter');

test('every stream fits the published schemas and is understood by the official SDK', async () => {
  await fc.assert(
    fc.asyncProperty(anyAnswer, anyReason, async (events, reason) => {
      const { sent, writer } = write([...events, finish(reason)]);
      for (const event of sent) checkResponseEvent(event);
      const built = await sdkResponse(sent);
      expect(built.output).toMatchObject(JSON.parse(JSON.stringify(writer.output())));
    }),
    { numRuns: 200 },
  );
});

test('a transcript of the same dialect survives a translation', async () => {
  for (const name of ['text', 'tools', 'reasoning', 'refusal', 'incomplete', 'image'] as const) {
    const writer = new ResponsesStreamWriter(context);
    let frames = '';
    const reader = new ResponsesStreamReader((event) => {
      frames += writer.event(event);
    });
    for (const { data } of readTranscript(name)) reader.frame(decode(data));
    const sent = eventsIn(toByteString(frames + writer.ending({ usage, cost: COST })));
    for (const event of sent) checkResponseEvent(event);
    await sdkResponse(sent);
  }
});

describe('a whole answer', () => {
  const result: TextResult = {
    answers: [
      {
        parts: [
          { type: 'reasoning', text: 'hm', proof: { dialect: 'anthropic', value: 'sig' } },
          { type: 'text', text: 'Look' },
          { type: 'text', text: 'ing.' },
          { type: 'tool_call', id: 'c1', name: 'f', arguments: '', proof: { dialect: 'google', value: 's' } },
          { type: 'image', mediaType: 'image/png', base64: 'iVBO' },
        ],
        finish: { reason: 'tool_calls', stopSequence: null, raw: 'x' },
      },
    ],
    usage,
  };

  test('fits the published schema and has usage and cost', () => {
    const body = JSON.parse(writeResponsesAnswer(result, context, { usage, cost: COST })) as object;
    checkResponse(body);
    expect(body).toMatchObject({
      object: 'response',
      status: 'completed',
      usage: { input_tokens: 3 },
      estimated_cost: { amount: '0.5' },
    });
  });

  test('says that a cost is not known', () => {
    const body = JSON.parse(writeResponsesAnswer(result, context, { usage, cost: null })) as object;
    expect(body).toHaveProperty('estimated_cost', null);
  });

  test('has the items of the same answer streamed', () => {
    const proof = { dialect: 'anthropic', value: 'sig' };
    const { writer } = write([
      thought('h'),
      thought('m'),
      { type: 'reasoning_proof', answer: 0, proof },
      text('Looking.'),
      { ...call(0, 'c1'), name: 'f', proof: { dialect: 'google', value: 's' } } as TextEvent,
      { type: 'image', answer: 0, mediaType: 'image/png', base64: 'iVBO' },
      finish('tool_calls'),
    ]);
    expect(writeOutputItems(result, context)).toEqual(writer.output());
  });
});
