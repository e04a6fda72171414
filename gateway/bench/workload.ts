/**
 * What is asked and what is answered, the same for everything that is measured: one chat call of a
 * usual size, whole or as a stream. The upstream sends it, the load checks it, the meter prices it.
 */
import { multiplyUnits, parseUnits, sumUnits, type Units } from '../src/kernel/units.ts';

export const CALL_PATH = '/v1/chat/completions';
export const CONTENT_FRAMES = 20;

/** The caller's name of the model differs from the provider's, as it does in most installations. */
export const MODEL = 'bench';
export const UPSTREAM_MODEL = 'bench-upstream-1';

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

/** Each is one server-sent event. */
export function streamFrames(): string[] {
  const words = ANSWER.split(' ');
  const perFrame = Math.ceil(words.length / CONTENT_FRAMES);
  const texts = Array.from({ length: CONTENT_FRAMES }, (_, i) =>
    words
      .slice(i * perFrame, (i + 1) * perFrame)
      .map((word) => `${word} `)
      .join(''),
  );
  const chunk = (choices: unknown[], usage: unknown): string =>
    `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices, usage })}\n\n`;
  return [
    ...texts.map((content) => chunk([{ index: 0, delta: { content }, finish_reason: null }], null)),
    chunk([{ index: 0, delta: {}, finish_reason: 'stop' }], null),
    chunk([], USAGE),
    'data: [DONE]\n\n',
  ];
}

/** Null when the body is what was to come, else what is wrong with it. */
export function faultOf(body: string, streams: boolean): string | null {
  if (!streams) {
    const whole = body.startsWith('{"') && body.endsWith('}') && body.includes('"finish_reason":"stop"');
    return whole ? null : 'the JSON is not whole';
  }
  if (!body.endsWith('data: [DONE]\n\n')) return 'the stream has no end marker';
  let frames = 0;
  for (let at = body.indexOf(DELTA); at >= 0; at = body.indexOf(DELTA, at + DELTA.length)) frames++;
  return frames === CONTENT_FRAMES ? null : `${frames} content frames came, not ${CONTENT_FRAMES}`;
}

const DELTA = '"delta":{"content":';
