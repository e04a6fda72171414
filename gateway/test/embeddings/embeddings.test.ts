/** Embeddings through every layer: the clients people use, both dialects, both encodings. */
import { embed, embedMany } from 'ai';
import type OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Shape } from '../../src/contract/check-shape.ts';
import { EmbeddingsResponse } from '../../src/contract/embeddings.ts';
import { parseUnits, printUnits } from '../../src/kernel/units.ts';
import { aiSdkOpenai, langchainEmbeddings, openaiClient } from '../support/clients.ts';
import {
  askEmbeddings,
  bits,
  embeddingsConfig as config,
  costOf,
  embeddingRow,
} from '../support/embeddings-stage.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

describe.each(oneEngine('embedded', 'client libraries'))('embeddings on %s', (engine) => {
  let gateway: TestGateway;
  let openai: OpenAI;

  beforeAll(async () => {
    gateway = await startGateway({ engine, config });
    openai = openaiClient(gateway);
  });
  afterAll(() => gateway.stop());

  const ask = (asked: object) => askEmbeddings(gateway, asked);
  const callRow = (id: string | null) => embeddingRow(gateway, id);

  test('the cost is the tokens times the price, in the body, in the header and in the record', async () => {
    const { json, headers } = await ask({ model: 'sim-embed', input: ['one text', 'another text'] });
    expect(new Shape(EmbeddingsResponse).error(json)).toBeNull();
    const { prompt_tokens: tokens, total_tokens: total } = json.usage;
    expect(tokens).toBeGreaterThan(0);
    expect(total).toBe(tokens);
    expect(json.model).toBe('sim-embed');
    expect(json.estimated_cost?.amount).toBe(costOf(tokens));
    expect(headers.get('x-tollgate-cost-units')).toBe(costOf(tokens));
    expect(headers.get('x-tollgate-simulated')).toBe('true');
    expect(headers.get('x-tollgate-overhead-ms')).toMatch(/^\d+\.\d\d$/);
    const row = await callRow(headers.get('x-request-id'));
    expect(row).toMatchObject({
      endpoint: 'embeddings',
      outcome: 'completed',
      usage_source: 'provider',
      price_version: 'test-1',
      streamed: false,
    });
    expect([row.input_tokens, row.output_tokens].map(Number)).toEqual([tokens, 0]);
    expect(printUnits(parseUnits(row.cost as string))).toBe(costOf(tokens));
  });

  test('a model without a price is recorded as such, never as free', async () => {
    const { json, headers } = await ask({ model: 'sim-embed-fixed', input: 'text' });
    expect(json.estimated_cost).toBeNull();
    expect(await callRow(headers.get('x-request-id'))).toMatchObject({ cost: null, price_version: null });
  });

  test('a provider that tells no usage is counted, and the record says so', async () => {
    for (const [input, tokens] of [
      ['some words to count', null],
      [[[5, 6, 7], [8]], 4],
    ] as const) {
      const { json, headers } = await ask({ model: 'silent', input });
      if (tokens !== null) expect(json.usage.prompt_tokens).toBe(tokens);
      expect(json.usage.prompt_tokens).toBeGreaterThan(0);
      expect(json.estimated_cost?.amount).toBe(costOf(json.usage.prompt_tokens));
      expect(await callRow(headers.get('x-request-id'))).toMatchObject({ usage_source: 'estimated' });
    }
  });

  test('the same bits arrive in either encoding, from either dialect, in the order of the inputs', async () => {
    const input = Array.from({ length: 30 }, (_, i) => `text number ${i}`);
    const alone = await Promise.all(input.map((text) => ask({ model: 'sim-embed', input: text })));
    const expected = alone.map(({ json }) => bits(json.data[0]?.embedding ?? []));
    for (const model of ['sim-embed', 'gemini']) {
      for (const encoding_format of ['float', 'base64', null, undefined]) {
        const { json } = await ask({ model, input, encoding_format });
        expect(json.data.map(({ index }) => index)).toEqual(input.map((_, i) => i));
        expect(json.data.map(({ embedding }) => typeof embedding === 'string')).toEqual(
          input.map(() => encoding_format === 'base64'),
        );
        expect(json.data.map(({ embedding }) => bits(embedding))).toEqual(expected);
      }
    }
  });

  test('2,048 inputs are answered, each in its place', async () => {
    const input = Array.from({ length: 2_048 }, (_, i) => `text ${i}`);
    const { json } = await ask({ model: 'sim-embed', input, encoding_format: 'base64', dimensions: 4 });
    expect(json.data.map(({ index }) => index)).toEqual(input.map((_, i) => i));
    const { json: last } = await ask({ model: 'sim-embed', input: 'text 2047', dimensions: 4 });
    expect(bits(json.data[2_047]?.embedding ?? [])).toEqual(bits(last.data[0]?.embedding ?? []));
  });

  describe('the OpenAI client', () => {
    const input = ['alpha', '베타'];

    test('gets numbers, though it asks for base64 by default', async () => {
      const usual = await openai.embeddings.create({ model: 'sim-embed', input });
      expect(gateway.simulator.calls.at(-1)?.body).toMatchObject({ encoding_format: 'base64' });
      const floats = await openai.embeddings.create({ model: 'sim-embed', input, encoding_format: 'float' });
      expect(usual.data.map(({ embedding }) => bits([...embedding]))).toEqual(
        floats.data.map(({ embedding }) => bits(embedding)),
      );
      expect(usual.data[0]?.embedding).toHaveLength(1_536);
    });

    test.each(['sim-embed', 'gemini'])('gets as many dimensions as it asks %s for', async (model) => {
      const { data } = await openai.embeddings.create({ model, input, dimensions: 256 });
      expect(data.map(({ embedding }) => embedding.length)).toEqual([256, 256]);
    });

    test('may send token ids: of one text, or of several', async () => {
      const one = await openai.embeddings.create({ model: 'sim-embed', input: [1, 2, 3] });
      const several = await openai.embeddings.create({ model: 'sim-embed', input: [[1, 2, 3], [4]] });
      expect([one.data.length, several.data.length]).toEqual([1, 2]);
      expect(several.data[0]?.embedding).toEqual(one.data[0]?.embedding);
      expect([one.usage.prompt_tokens, several.usage.prompt_tokens]).toEqual([3, 4]);
    });

    test('reads what is wrong', async () => {
      const wrong = openai.embeddings.create({ model: 'sim-embed', input: [] });
      await expect(wrong).rejects.toMatchObject({ status: 400, code: 'invalid_parameter', param: 'input' });
    });
  });

  test.each(['sim-embed', 'gemini'])('the AI SDK embeds one and many with %s', async (model) => {
    const provider = aiSdkOpenai(gateway);
    const values = ['alpha', 'beta', 'gamma'];
    const many = await embedMany({ model: provider.embedding(model), values, maxRetries: 0 });
    const one = await embed({ model: provider.embedding(model), value: 'beta', maxRetries: 0 });
    expect(many.embeddings).toHaveLength(3);
    expect(many.embeddings[1]).toEqual(one.embedding);
    expect(many.usage.tokens).toBeGreaterThan(0);
    const shorter = await embed({
      model: provider.embedding(model),
      value: 'beta',
      providerOptions: { openai: { dimensions: 8 } },
    });
    expect(shorter.embedding).toHaveLength(8);
  });

  test.each(['sim-embed', 'gemini'])('LangChain embeds documents and queries with %s', async (model) => {
    const embeddings = langchainEmbeddings(gateway, { model, dimensions: 16 });
    const [first, second] = await embeddings.embedDocuments(['alpha', 'beta']);
    expect(await embeddings.embedQuery('alpha')).toEqual(first);
    expect(second).not.toEqual(first);
    const floats = langchainEmbeddings(gateway, { model, dimensions: 16, encodingFormat: 'float' });
    expect(bits((await floats.embedQuery('beta')) as number[])).toEqual(bits([...(second as number[])]));
  });
});
