/** Servers that speak OpenAI's protocol in their own way: what they answer, and what the caller gets. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

type Encoding = 'float' | 'base64';
interface Answer {
  data: Array<{ index: number; embedding: number[] | string }>;
  model: string;
  usage: { prompt_tokens: number; total_tokens: number };
  estimated_cost: { amount: string } | null;
}

/** The numbers a model computed, before anybody wrote them down. */
const vectorsOf = (count: number, dimensions: number): Float32Array[] =>
  Array.from({ length: count }, (_, i) =>
    Float32Array.from({ length: dimensions }, (__, j) => Math.sin(i * dimensions + j) / 7),
  );
const base64 = (vector: Float32Array): string => Buffer.from(vector.buffer).toString('base64');
const bits = (embedding: number[] | string): string =>
  typeof embedding === 'string' ? embedding : base64(Float32Array.from(embedding));

const items = (vectors: readonly Float32Array[], encoding: Encoding): object[] =>
  vectors.map((vector, index) => ({
    object: 'embedding',
    index,
    embedding: encoding === 'base64' ? base64(vector) : [...vector],
  }));
const usage = { prompt_tokens: 20, total_tokens: 20 };

describe.each(oneEngine('postgres', 'providers'))('embeddings of other servers on %s', (engine) => {
  let gateway: TestGateway;
  let upstream: Server;
  let answer: string;

  beforeAll(async () => {
    upstream = createServer((request, response) => {
      request.resume().on('end', () => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(answer);
      });
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    const config = `
providers:
  other: { dialect: openai-compatible, base_url: ${origin}/v1 }
models:
  ours: { endpoints: [embeddings], routes: [{ provider: other, model: theirs }] }
prices:
  version: test-1
  models:
    ours: { input: 0.1 }
`;
    gateway = await startGateway({ engine, config });
  });
  afterAll(async () => {
    await gateway.stop();
    upstream.closeAllConnections();
    upstream.close();
  });

  async function ask(count: number, encoding_format: Encoding): Promise<{ json: Answer; source: unknown }> {
    const input = Array.from({ length: count }, (_, i) => `text ${i}`);
    const reply = await gateway.post('/v1/embeddings', { model: 'ours', input, encoding_format });
    expect(reply.status).toBe(200);
    const id = reply.headers.get('x-request-id');
    const [row] = await gateway.query<{ usage_source: string; cost: string }>(
      sql`select usage_source, cost from calls where id = ${id}`,
    );
    const json = (await reply.json()) as Answer;
    expect(Number(row?.cost)).toBe(Number(json.estimated_cost?.amount));
    return { json, source: row?.usage_source };
  }

  describe.each([
    ['small', 3, 8],
    ['large', 100, 512],
  ])('a %s answer', (_, count, dimensions) => {
    const vectors = vectorsOf(count, dimensions);
    const expected = vectors.map(base64);

    const check = ({ data, model }: Answer, encoding: Encoding): void => {
      expect(data.map(({ index }) => index)).toEqual(vectors.map((__, i) => i));
      expect(data.every(({ embedding }) => (typeof embedding === 'string') === (encoding === 'base64'))).toBe(
        true,
      );
      expect(data.map(({ embedding }) => bits(embedding))).toEqual(expected);
      expect(model).toBe('ours');
    };

    test.each<[Encoding, Encoding]>([
      ['float', 'float'],
      ['float', 'base64'],
      ['base64', 'float'],
      ['base64', 'base64'],
    ])('in %s, asked for in %s, has the same bits', async (theirs, asked) => {
      answer = JSON.stringify({ object: 'list', data: items(vectors, theirs), model: 'theirs', usage });
      const { json, source } = await ask(count, asked);
      check(json, asked);
      expect([json.usage, source]).toEqual([usage, 'provider']);
      expect(json.estimated_cost?.amount).toBe('0.000002');
    });

    test('written anew is in the order of the inputs, whatever the order it came in', async () => {
      answer = JSON.stringify({
        object: 'list',
        data: items(vectors, 'float').toReversed(),
        model: 'm',
        usage,
      });
      check((await ask(count, 'base64')).json, 'base64');
    });

    test.each<Encoding>(['float', 'base64'])('without usage is counted, asked for in %s', async (asked) => {
      answer = JSON.stringify({ object: 'list', data: items(vectors, 'float'), model: 'theirs' });
      const { json, source } = await ask(count, asked);
      check(json, asked);
      expect(json.usage.prompt_tokens).toBeGreaterThan(count);
      expect(source).toBe('estimated');
    });

    test('with its model and usage before the vectors is relayed', async () => {
      answer = JSON.stringify({ model: 'theirs', object: 'list', usage, data: items(vectors, 'float') });
      const { json, source } = await ask(count, 'float');
      check(json, 'float');
      expect([json.usage, source]).toEqual([usage, 'provider']);
    });

    test('laid out over many lines is relayed', async () => {
      const data = items(vectors, 'float');
      answer = JSON.stringify({ object: 'list', data, model: 'theirs', usage }, null, 2);
      check((await ask(count, 'float')).json, 'float');
    });

    test.each<[string, (whole: string) => string]>([
      ['cut off', (whole) => whole.slice(0, -30)],
      ['cut off in the vectors', (whole) => whole.slice(0, whole.length / 2)],
      ['an error in disguise', () => '{"error":{"message":"out of memory"}}'],
      ['without vectors', () => '{"object":"list","data":[],"model":"theirs"}'],
      ['no JSON', () => '<html>busy</html>'],
      ['nothing', () => ''],
    ])('that is %s is an upstream error, and costs nothing', async (__, spoil) => {
      answer = spoil(JSON.stringify({ object: 'list', data: items(vectors, 'float'), model: 'm', usage }));
      for (const encoding_format of ['float', 'base64']) {
        const input = vectors.map(() => 'text');
        const reply = await gateway.post('/v1/embeddings', { model: 'ours', input, encoding_format });
        expect(reply.status).toBe(502);
        expect(await reply.json()).toMatchObject({ type: 'upstream_error' });
        expect(reply.headers.get('x-tollgate-cost-units')).toBeNull();
      }
    });
  });

  test('fewer vectors than inputs are an upstream error', async () => {
    answer = JSON.stringify({ object: 'list', data: items(vectorsOf(2, 8), 'float'), model: 'm', usage });
    const reply = await gateway.post('/v1/embeddings', { model: 'ours', input: ['a', 'b', 'c'] });
    expect(reply.status).toBe(502);
  });
});

test('an answer of 2,048 inputs and 1,536 numbers each, in digits, is within the limits', async () => {
  const row = JSON.stringify([...(vectorsOf(1, 1_536)[0] as Float32Array)]);
  const data = Array.from(
    { length: 2_048 },
    (_, i) => `{"object":"embedding","index":${i},"embedding":${row}}`,
  );
  const whole = `{"object":"list","data":[${data.join()}],"model":"theirs","usage":${JSON.stringify(usage)}}`;
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end(whole));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const gateway = await startGateway({
    config: `
providers:
  other: { dialect: openai-compatible, base_url: 'http://127.0.0.1:${port}/v1' }
models:
  ours: { endpoints: [embeddings], routes: [{ provider: other, model: theirs }] }
`,
  });
  const input = Array.from({ length: 2_048 }, (_, i) => `text ${i}`);
  const reply = await gateway.post('/v1/embeddings', { model: 'ours', input });
  const text = await reply.text();
  expect(reply.status).toBe(200);
  expect(text.startsWith(whole.slice(0, 100_000))).toBe(true);
  expect(text.slice(-300)).toContain(
    '],"model":"ours","usage":{"prompt_tokens":20,"total_tokens":20},"estimated_cost":null}',
  );
  expect(text.length).toBe(whole.length + ',"estimated_cost":null'.length - 'theirs'.length + 'ours'.length);
  await gateway.stop();
  server.closeAllConnections();
  server.close();
});
