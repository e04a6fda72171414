import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SseFramer } from '../../../kernel/framing.ts';
import { parseUnits } from '../../../kernel/units.ts';
import { ChatStreamRelay } from './relay-stream.ts';

const COST = parseUnits('0.5');

const chunk = (choices: object[], rest: object = {}): string =>
  JSON.stringify({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'up-2026',
    choices,
    ...rest,
  });
const delta = (content: string, index = 0): object => ({ index, delta: { content }, finish_reason: null });
const finish = (reason = 'stop', index = 0): object => ({ index, delta: {}, finish_reason: reason });
const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };

function relay(frames: string[], options: { includeUsage?: boolean; answers?: number } = {}) {
  const stream = new ChatStreamRelay({
    model: 'ours',
    includeUsage: false,
    answers: 1,
    request: {},
    ...options,
  });
  const sent = frames.map((frame) => stream.frame(Buffer.from(frame).toString('latin1')));
  return { stream, sent };
}

/** What a client reads from byte strings. */
function readFrames(bytes: string): unknown[] {
  const frames: unknown[] = [];
  const framer = new SseFramer({
    charactersMax: 1e6,
    onFrame: (data) =>
      frames.push(data === '[DONE]' ? data : JSON.parse(Buffer.from(data, 'latin1').toString('utf8'))),
  });
  framer.push(bytes);
  return frames;
}

const whole = [
  chunk([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }], { usage: null }),
  chunk([delta('안녕 "finish_reason":"stop"')], { usage: null }),
  chunk([finish()], { usage: null }),
  chunk([], { usage }),
  '[DONE]',
];

describe('the relay of a chat stream', () => {
  test('passes frames on with our model code, byte for byte otherwise', () => {
    const { sent } = relay(whole, { includeUsage: true });
    const expected = (whole[1] as string).replace('up-2026', 'ours');
    expect(Buffer.from(sent[1] as string, 'latin1').toString('utf8')).toBe(`data: ${expected}\n\n`);
  });

  test('holds the finish back until the cost is known, then sends usage and cost once', () => {
    const { stream, sent } = relay(whole, { includeUsage: true });
    expect(sent.slice(2)).toEqual(['', '', '']);
    expect(stream.complete).toBe(true);
    const [last, end, ...more] = readFrames(stream.ending({ usage: null, cost: COST }));
    expect(last).toMatchObject({
      model: 'ours',
      choices: [{ finish_reason: 'stop' }],
      usage,
      estimated_cost: { amount: '0.5', currency: 'unit' },
    });
    expect(end).toBe('[DONE]');
    expect(more).toEqual([]);
  });

  test('sends neither usage nor cost to a caller who did not request them', () => {
    const { stream, sent } = relay(whole);
    expect(sent.join('') + stream.ending({ usage: null, cost: COST })).not.toMatch(/usage|estimated_cost/);
    expect(stream.usage).toMatchObject({ inputTokens: 3, outputTokens: 4 });
  });

  test('leaves the cost out when it is not known', () => {
    const { stream } = relay(whole, { includeUsage: true });
    expect(readFrames(stream.ending({ usage: null, cost: null }))[0]).not.toHaveProperty('estimated_cost');
  });

  test('is complete only when every answer has its finish reason', () => {
    const frames = [chunk([delta('a')]), chunk([finish('stop', 0)]), chunk([delta('b', 1)])];
    const { stream, sent } = relay(frames, { answers: 2 });
    expect(stream.complete).toBe(false);
    // The first finish was not the last frame, so it has gone out by now.
    expect(readFrames(sent[2] as string)).toMatchObject([
      { choices: [{ finish_reason: 'stop' }] },
      { choices: [{ index: 1 }] },
    ]);
    expect(stream.frame(chunk([finish('length', 1)]))).toBe('');
    expect(stream.complete).toBe(true);
  });

  test('reads usage in the finish frame, and the last of several', () => {
    const { stream } = relay([
      chunk([finish()], { usage: { ...usage, completion_tokens: 1 } }),
      chunk([], { usage }),
    ]);
    expect(stream.usage?.outputTokens).toBe(4);
  });

  test('relays content in a frame with usage without the usage', () => {
    const { sent } = relay([chunk([delta('x')], { usage })]);
    expect(readFrames(sent[0] as string)).toMatchObject([
      { model: 'ours', choices: [{ delta: { content: 'x' } }] },
    ]);
    expect(sent[0]).not.toContain('usage');
  });

  test.each([
    ['an end marker first', ['[DONE]', ...whole]],
    ['no finish', whole.slice(0, 2)],
    ['a broken frame', [whole[0] as string, '{"choices": [', ...whole.slice(2)]],
    ['a broken finish', ['{"choices":[{"finish_reason":"stop"}}']],
    ['an error', [whole[0] as string, '{"error":{"message":"boom"}}', ...whole.slice(2)]],
    ['plain text', ['hello']],
  ])('is never complete after %s', (_, frames) => {
    expect(relay(frames).stream.complete).toBe(false);
  });

  test('knows what was produced, for counting', () => {
    const frames = [
      chunk([delta('ab')]),
      chunk([
        {
          index: 0,
          delta: { tool_calls: [{ index: 0, function: { name: 'f', arguments: '{"x":1}' } }] },
          finish_reason: null,
        },
      ]),
    ];
    expect(relay(frames).stream.produced()).toEqual({ texts: ['ab', 'f', '{"x":1}'], restCharacters: 0 });
  });

  test('survives any frames and is complete only after a valid finish', () => {
    const anyFrame = fc.oneof(
      fc.constantFrom(...whole),
      fc.string(),
      fc.json(),
      fc.tuple(fc.constantFrom(...whole), fc.nat(), fc.string({ maxLength: 3 })).map(([frame, at, text]) => {
        const i = at % (frame.length + 1);
        return frame.slice(0, i) + text + frame.slice(i + text.length);
      }),
    );
    fc.assert(
      fc.property(fc.array(anyFrame, { maxLength: 12 }), fc.boolean(), (frames, includeUsage) => {
        const { stream, sent } = relay(frames, { includeUsage });
        expect(sent.join('')).not.toContain('[DONE]\n');
        if (stream.complete) expect(stream.finishReason).toBeTypeOf('string');
        stream.produced();
      }),
      { numRuns: 2_000 },
    );
  });
});

test('data of several lines is sent as one line, because a line feed would end it', () => {
  const { sent } = relay([(whole[1] as string).replace(',"choices"', ',\n"choices"')]);
  expect(readFrames(sent[0] as string)).toMatchObject([{ model: 'ours', choices: [{ index: 0 }] }]);
});

test('the empty usage and the model name of a frame are replaced at any position', () => {
  const plain = { choices: [delta('x')] };
  for (const frame of [
    JSON.stringify({ model: 'up-2026', ...plain, usage: null }),
    JSON.stringify({ ...plain, usage: null, model: 'up-2026' }),
    JSON.stringify({ ...plain, usage: null }),
    JSON.stringify({ ...plain, model: 'up-2026' }),
    JSON.stringify(plain),
  ]) {
    const [shown] = readFrames(relay([frame]).sent.join(''));
    const expected = { ...(JSON.parse(frame) as Record<string, unknown>) };
    delete expected.usage;
    if ('model' in expected) expected.model = 'ours';
    expect(shown).toEqual(expected);
  }
});
