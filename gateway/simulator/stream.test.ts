import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Simulator, startSimulator } from './simulator.ts';
import {
  ask,
  askJson,
  type Chunk,
  chunksIn,
  contentIn,
  framesIn,
  userPrompt,
  type Wire,
} from './testing/call-simulator.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.stop());

async function stream(
  prompt: string,
  more: Wire = {},
  headers: Record<string, string> = {},
): Promise<string> {
  const heard = await ask(simulator.url, userPrompt(prompt, { stream: true, ...more }), { headers });
  expect(heard.headers['content-type']).toBe('text/event-stream; charset=utf-8');
  return heard.text;
}

function deltas(text: string): Wire[] {
  return chunksIn(text).flatMap((chunk) => chunk.choices.map((choice) => choice.delta));
}

test('a stream is a role, the content in pieces, a finish and [DONE]', async () => {
  const text = await stream('Reply with exactly: Hello there');
  expect(framesIn(text).at(-1)).toBe('[DONE]');
  const chunks = chunksIn(text);
  expect(chunks.map((chunk) => chunk.choices[0]?.delta)).toEqual([
    { role: 'assistant', content: '', refusal: null },
    { content: 'Hell' },
    { content: 'o th' },
    { content: 'ere' },
    {},
  ]);
  expect(chunks.map((chunk) => chunk.choices[0]?.finish_reason)).toEqual([null, null, null, null, 'stop']);
  expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1);
  for (const chunk of chunks) {
    expect(chunk).toMatchObject({ object: 'chat.completion.chunk', model: 'sim-chat-2026-01-01' });
    expect(chunk).not.toHaveProperty('usage');
  }
});

test('a stream and a whole answer say the same and cost the same', async () => {
  const whole = (await askJson(simulator.url, userPrompt('Tell me.'))) as unknown as {
    choices: [{ message: { content: string } }];
    usage: Wire;
  };
  const text = await stream('Tell me.', { stream_options: { include_usage: true } });
  expect(contentIn(text)).toBe(whole.choices[0].message.content);
  const chunks = chunksIn(text);
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage });
  expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
});

test('several answers grow side by side', async () => {
  const text = await stream('Tell me.', { n: 2 });
  const order = chunksIn(text).map((chunk) => chunk.choices[0]?.index);
  expect(order.slice(0, 6)).toEqual([0, 1, 0, 1, 0, 1]);
  expect(contentIn(text, 0)).not.toBe(contentIn(text, 1));
  expect(chunksIn(text).filter((chunk) => chunk.choices[0]?.finish_reason === 'stop')).toHaveLength(2);
});

test('x-sim-chunks sets how many content frames there are', async () => {
  for (const count of [1, 3, 500]) {
    const text = await stream('Reply with exactly: 한국어 🙂 text', {}, { 'x-sim-chunks': String(count) });
    expect(contentIn(text)).toBe('한국어 🙂 text');
    expect(deltas(text).filter((delta) => 'content' in delta && !('role' in delta))).toHaveLength(count);
  }
});

test('no frame ends within a character', async () => {
  const text = await stream(`Reply with exactly: a${'🙂'.repeat(20)}`);
  expect(text).not.toMatch(/\\ud[89a-f]/);
  expect(contentIn(text)).toBe(`a${'🙂'.repeat(20)}`);
});

test('tool calls open with id, type and name, and their arguments come in fragments', async () => {
  const tool = (name: string): Wire => ({
    type: 'function',
    function: {
      name,
      parameters: { type: 'object', properties: { a: { const: 'a long enough value' } }, required: ['a'] },
    },
  });
  const text = await stream('Call one and two.', { tools: [tool('one'), tool('two')] });
  const calls = deltas(text).flatMap((delta) => (delta.tool_calls ?? []) as Wire[]);
  for (const [index, name] of ['one', 'two'].entries()) {
    const [opening, ...rest] = calls.filter((call) => call.index === index);
    expect(opening).toEqual({
      index,
      id: expect.stringMatching(/^call_/),
      type: 'function',
      function: { name, arguments: '' },
    });
    expect(rest.length).toBeGreaterThan(1);
    const args = rest.map((call) => (call.function as Wire).arguments).join('');
    expect(JSON.parse(args)).toEqual({ a: 'a long enough value' });
  }
  expect(chunksIn(text).at(-1)?.choices[0]?.finish_reason).toBe('tool_calls');
});

test('refusals and images have deltas of their own', async () => {
  const refused = deltas(await stream('[[refuse]]'));
  expect(refused.map((delta) => delta.refusal ?? '').join('')).toMatch(/can't help/);
  const drawn = deltas(await stream('A red one', { model: 'sim-image-chat' }));
  expect(drawn.filter((delta) => 'images' in delta)).toEqual([
    { images: [{ type: 'image_url', image_url: { url: expect.stringMatching(/^data:image\/png/) } }] },
  ]);
});

test('a paced stream comes frame by frame', async () => {
  const pieces: Chunk[][] = [];
  const text = await ask(
    simulator.url,
    userPrompt('[[pace 5]] Reply with exactly: one two', { stream: true }),
    { onPiece: (piece) => pieces.push(chunksIn(piece.toString())) },
  );
  expect(contentIn(text.text)).toBe('one two');
  expect(pieces.length).toBeGreaterThanOrEqual(5);
});
