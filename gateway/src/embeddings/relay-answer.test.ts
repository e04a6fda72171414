import { describe, expect, test } from 'vitest';
import { parseUnits } from '../kernel/units.ts';
import type { VectorEncoding } from './embedding-call.ts';
import { type RelayedBody, relayEmbeddings } from './relay-answer.ts';
import { writeVector } from './vectors.ts';

const usage = { prompt_tokens: 7, total_tokens: 7 };
const asUsage = {
  inputTokens: 7,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
};
const end = { usage: asUsage, cost: parseUnits('0.0000007') };
const cost = expect.objectContaining({ amount: '0.0000007', currency: 'unit' });

/** A body in pieces of a size, as it comes from a socket. */
function bodyOf(text: string, pieceBytes = 1_000): RelayedBody & { pieces: Buffer[] } {
  const bytes = Buffer.from(text);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) pieces.push(bytes.subarray(at, at + pieceBytes));
  return {
    pieces,
    length: bytes.length,
    whole: () => bytes,
    slice(start, stop) {
      const parts: Buffer[] = [];
      pieces.forEach((piece, i) => {
        const from = Math.max(start - i * pieceBytes, 0);
        const to = Math.min(stop - i * pieceBytes, piece.length);
        if (from < to) parts.push(from === 0 && to === piece.length ? piece : piece.subarray(from, to));
      });
      return parts;
    },
  };
}

const vectors = (count: number, dimensions = 64): Float32Array[] =>
  Array.from({ length: count }, (_, i) =>
    Float32Array.from({ length: dimensions }, (__, j) => (i + 1) / (j + 3)),
  );

function items(of: readonly Float32Array[], encoding: VectorEncoding): unknown[] {
  return of.map((vector, index) => ({
    object: 'embedding',
    index,
    embedding: JSON.parse(writeVector(vector, encoding)) as unknown,
  }));
}

interface Shown {
  data: Array<{ index: number; embedding: unknown }>;
  model: string;
  usage: unknown;
  estimated_cost: unknown;
}

function relay(
  text: string,
  { encoding = 'float' as VectorEncoding, inputs = 2, pieceBytes = 1_000 } = {},
): { text: string; json: Shown; pieces: readonly Buffer[]; usage: unknown } | null {
  const answer = relayEmbeddings(bodyOf(text, pieceBytes), { model: 'ours', encoding, inputs });
  if (answer === null) return null;
  const pieces = answer.body(end) as readonly Buffer[];
  const shown = Buffer.concat(pieces).toString('utf8');
  return { text: shown, json: JSON.parse(shown) as Shown, pieces, usage: answer.usage };
}

describe.each([
  ['small', 2, 8],
  ['large', 300, 64],
])('a %s answer', (_, count, dimensions) => {
  const data = items(vectors(count, dimensions), 'float');
  const options = { inputs: count };

  test.each<[string, object]>([
    ['behind the vectors', { object: 'list', data, model: 'theirs', usage }],
    ['before the vectors', { object: 'list', model: 'theirs', usage, data }],
    ['on both sides', { model: 'theirs', data, usage, object: 'list' }],
  ])('with the fields %s gets our model and the cost and is otherwise unchanged', (__, json) => {
    const shown = relay(JSON.stringify(json), options);
    expect(shown?.json).toEqual({ ...json, model: 'ours', estimated_cost: cost });
    expect(shown?.usage).toEqual(asUsage);
    expect(Object.keys(shown?.json ?? {})).toEqual([...Object.keys(json), 'estimated_cost']);
  });

  test('with line breaks keeps its layout', () => {
    const json = { object: 'list', data, model: 'theirs', usage };
    const shown = relay(`${JSON.stringify(json, null, 4)}\n`, options);
    expect(shown?.json).toEqual({ ...json, model: 'ours', estimated_cost: cost });
    expect(shown?.text).toContain('\n    "data": [\n        {\n            "object": "embedding"');
  });

  test('without usage or model gets both', () => {
    const shown = relay(JSON.stringify({ object: 'list', data }), options);
    expect(shown?.usage).toBeNull();
    expect(shown?.json).toEqual({ object: 'list', data, model: 'ours', usage, estimated_cost: cost });
  });

  test('with incomplete usage gets the missing count', () => {
    const shown = relay(JSON.stringify({ data, usage: { total_tokens: 7 }, model: 'x' }), options);
    expect(shown?.usage).toEqual(asUsage);
    expect(shown?.json.usage).toEqual(usage);
  });

  test('keeps unknown fields, including non-ASCII text and lists of objects', () => {
    const more = {
      meta: { data: [1], model: 'no' },
      said: ['}]', '"data":[', '안녕'],
      notes: [{ model: 'no' }],
    };
    for (const json of [
      { ...more, data, model: 'theirs', usage },
      { model: 'theirs', data, ...more, usage },
    ])
      expect(relay(JSON.stringify(json), options)?.json).toEqual({
        ...json,
        model: 'ours',
        estimated_cost: cost,
      });
  });

  test('in another encoding than requested is re-encoded bit for bit, in the order of index', () => {
    for (const [theirs, asked] of [
      ['float', 'base64'],
      ['base64', 'float'],
    ] as const) {
      const of = vectors(count, dimensions);
      const json = { object: 'list', data: items(of, theirs).toReversed(), model: 'theirs', usage };
      const shown = relay(JSON.stringify(json), { ...options, encoding: asked });
      expect(shown?.json).toEqual({
        object: 'list',
        data: items(of, asked),
        model: 'ours',
        usage,
        estimated_cost: cost,
      });
    }
  });

  test.each([
    ['cut off', (text: string) => text.slice(0, -20)],
    ['closed too often', (text: string) => `${text}}`],
    ['not JSON', (text: string) => `x${text}`],
    ['an error', () => '{"error":{"message":"no"}}'],
    ['empty', () => ''],
    ['without vectors', () => '{"object":"list","data":[],"model":"m"}'],
  ])('that is %s is not an answer', (__, spoil) => {
    expect(
      relay(spoil(JSON.stringify({ object: 'list', data, model: 'theirs', usage })), options),
    ).toBeNull();
  });
});

test('a large answer is relayed in the pieces it arrived in', () => {
  const data = items(vectors(300), 'float');
  const text = JSON.stringify({ object: 'list', data, model: 'theirs', usage });
  const body = bodyOf(text);
  const answer = relayEmbeddings(body, { model: 'ours', encoding: 'float', inputs: 300 });
  const shown = answer?.body(end) as readonly Buffer[];
  const same = shown.filter((piece) => body.pieces.includes(piece));
  expect(same.length).toBeGreaterThan(body.pieces.length - 3);
});

test.each([
  [1, 'fewer'],
  [3, 'more'],
])('a small answer for %i inputs with %s vectors is not an answer', (inputs) => {
  const data = items(vectors(2), 'float');
  for (const encoding of ['float', 'base64'] as const)
    expect(relay(JSON.stringify({ data, model: 'm', usage }), { inputs, encoding })).toBeNull();
});
