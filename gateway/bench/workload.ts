/**
 * What is asked and what is answered, the same for everything that is measured: one call of a usual
 * size, whole or as a stream. The upstream sends it, the load checks it, the meter prices it.
 */

import { multiplyUnits, parseUnits, sumUnits, type Units } from '../src/kernel/units.ts';
import { embeddingsFault } from './embeddings-workload.ts';

/** The two text protocols of the provider; a translated call asks in chat and is answered in messages. */
export type TextWire = 'chat' | 'messages';
export type Wire = TextWire | 'embeddings';

export const paths: Readonly<Record<Wire, string>> = {
  chat: '/v1/chat/completions',
  messages: '/v1/messages',
  embeddings: '/v1/embeddings',
};
export const CONTENT_FRAMES = 20;

/** The caller's name of the model differs from the provider's, as it does in most installations. */
export const MODEL = 'bench';
export const UPSTREAM_MODEL = 'bench-upstream-1';
/** The same, but its provider speaks messages. */
export const TRANSLATED_MODEL = 'bench-translated';
/** Takes images. */
export const VISION_MODEL = 'bench-vision';
/** The first frame of its stream tells when it was sent. */
export const STAMPED_MODEL = 'bench-stamped';

/** A model whose stream pauses between frames; the pause stands in its name. */
export function slowModel(frameMs: number): string {
  return `slow-${frameMs}`;
}

export const PRICE = { input: '2.5', output: '10' };
const USAGE = { prompt_tokens: 112, completion_tokens: 64, total_tokens: 176 };
const PER = 1_000_000;

/** What each call must cost, whole or streamed. */
export const callCost: Units = sumUnits([
  multiplyUnits(parseUnits(PRICE.input), { count: USAGE.prompt_tokens, per: PER }),
  multiplyUnits(parseUnits(PRICE.output), { count: USAGE.completion_tokens, per: PER }),
]);

const ANSWER =
  'A gateway stands between those who ask and those who answer. It checks who is asking, chooses where ' +
  'the question goes, passes the answer on while it is still being written, and remembers exactly what ' +
  'it cost, so that nobody pays twice and nobody is served for nothing.';

export function callBody(call: { model: string; streams: boolean }): string {
  return JSON.stringify({
    model: call.model,
    messages: [
      {
        role: 'system',
        content:
          'You are a careful assistant of a software company. You answer in plain words, in at most three ' +
          'sentences, and you say so when you do not know something.',
      },
      { role: 'user', content: 'What does a model gateway do, and why would a company want to run one?' },
    ],
    temperature: 0.2,
    max_completion_tokens: 256,
    ...(call.streams && { stream: true, stream_options: { include_usage: true } }),
  });
}

const head = { id: 'chatcmpl-bench000000000000000000', created: 1_760_000_000, model: UPSTREAM_MODEL };

export function wholeAnswer(): string {
  return JSON.stringify({
    ...head,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: ANSWER, refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: {
      ...USAGE,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    },
    system_fingerprint: 'fp_bench',
  });
}

function frameTexts(): string[] {
  const at = (i: number): number => Math.floor((i * ANSWER.length) / CONTENT_FRAMES);
  return Array.from({ length: CONTENT_FRAMES }, (_, i) => ANSWER.slice(at(i), at(i + 1)));
}

/** Each is one server-sent event. */
export function streamFrames(wire: TextWire): string[] {
  return wire === 'chat' ? chatFrames(frameTexts()) : messagesFrames(frameTexts());
}

/** A content frame with the time in nanoseconds, by a clock that all processes of a machine share. */
export function stampedFrame(nanoseconds: bigint): string {
  return chatFrames([`${STAMP}${String(nanoseconds).padStart(20, '0')} `])[0] as string;
}

const STAMP = 'sent at ';

/** When the first frame of a stamped stream was sent; null while it is not there. */
export function sentAt(bytes: string): bigint | null {
  const at = bytes.indexOf(STAMP);
  return at < 0 ? null : BigInt(bytes.slice(at + STAMP.length, at + STAMP.length + 20));
}

function messagesFrames(texts: readonly string[]): string[] {
  const event = (json: { type: string }): string => `event: ${json.type}\ndata: ${JSON.stringify(json)}\n\n`;
  const usage = {
    input_tokens: USAGE.prompt_tokens,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
  };
  const message = {
    id: 'msg_bench00000000000000000',
    type: 'message',
    role: 'assistant',
    model: UPSTREAM_MODEL,
  };
  const empty = { content: [], stop_reason: null, stop_sequence: null };
  const delta = (text: string): string =>
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } } as { type: string });
  return [
    event({
      type: 'message_start',
      message: { ...message, ...empty, usage: { ...usage, output_tokens: 1 } },
    } as {
      type: string;
    }),
    event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as {
      type: string;
    }),
    ...texts.map(delta),
    event({ type: 'content_block_stop', index: 0 } as { type: string }),
    event({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { ...usage, output_tokens: USAGE.completion_tokens },
    } as { type: string }),
    event({ type: 'message_stop' }),
  ];
}

function chatFrames(texts: readonly string[]): string[] {
  const chunk = (choices: unknown[], usage: unknown): string =>
    `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices, usage })}\n\n`;
  return [
    ...texts.map((content) => chunk([{ index: 0, delta: { content }, finish_reason: null }], null)),
    chunk([{ index: 0, delta: {}, finish_reason: 'stop' }], null),
    chunk([], USAGE),
    'data: [DONE]\n\n',
  ];
}

/** Null when the reply is what was to come, else what is wrong with it. */
export function faultOf(
  reply: { body: string; length: number },
  expected: { streams: boolean; wire: Wire },
): string | null {
  const { body } = reply;
  if (expected.wire === 'embeddings') return embeddingsFault(reply);
  if (!expected.streams) {
    const whole = body.startsWith('{"') && body.endsWith('}') && body.includes('"finish_reason":"stop"');
    return whole ? null : 'the JSON is not whole';
  }
  const { end, delta } = marks[expected.wire];
  if (!body.endsWith(end)) return 'the stream has no end marker';
  let frames = 0;
  for (let at = body.indexOf(delta); at >= 0; at = body.indexOf(delta, at + delta.length)) frames++;
  // The role of a translated stream comes in a frame with content of no length.
  const wanted = frames - (body.includes('"role":"assistant","content":""') ? 1 : 0);
  return wanted === CONTENT_FRAMES ? null : `${wanted} content frames came, not ${CONTENT_FRAMES}`;
}

const marks: Readonly<Record<TextWire, { end: string; delta: string }>> = {
  chat: { end: 'data: [DONE]\n\n', delta: '"content":"' },
  messages: { end: '{"type":"message_stop"}\n\n', delta: '"type":"text_delta"' },
};
