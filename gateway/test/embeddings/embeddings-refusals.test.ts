/** What is not embedded: why, by which field, and that nobody is charged for it. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { askEmbeddings, embeddingsConfig as config, embeddingRow } from '../support/embeddings-stage.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';

describe.each(oneEngine('postgres', 'rejected requests'))('embeddings refused on %s', (engine) => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startGateway({ engine, config });
  });
  afterAll(() => gateway.stop());

  async function refusal(body: object): Promise<{ status: number; type: string; param: string | null }> {
    const reply = await gateway.post('/v1/embeddings', body);
    const { type, error } = (await reply.json()) as { type: string; error: { param: string | null } };
    return { status: reply.status, type, param: error.param };
  }

  test('fields nobody knows reach a provider of the same format, and are refused for another', async () => {
    const body = { model: 'gemini', input: 'text', truncate: true };
    expect(await refusal(body)).toEqual({ status: 400, type: 'invalid_parameter', param: 'truncate' });
    expect(await refusal({ model: 'gemini', input: 'text', user: 'me' })).toMatchObject({ param: 'user' });
    expect(await refusal({ model: 'gemini', input: [1, 2] })).toMatchObject({ param: 'input' });
    await gateway.post('/v1/embeddings', { ...body, model: 'sim-embed' });
    expect(gateway.simulator.calls.at(-1)?.body).toEqual({ ...body, model: 'sim-embed' });
  });

  const many = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item);
  test.each<[string, object, string, string]>([
    ['an empty list', { input: [] }, 'invalid_parameter', 'input'],
    ['an empty text', { input: '' }, 'invalid_parameter', 'input'],
    ['an empty text among others', { input: ['a', ''] }, 'invalid_parameter', 'input[1]'],
    ['2,049 texts', { input: many(2_049, 'a') }, 'batch_too_large', 'input'],
    ['32,769 token ids', { input: many(32_769, 1) }, 'batch_too_large', 'input'],
    ['32,769 token ids in a list', { input: [many(32_769, 1)] }, 'batch_too_large', 'input[0]'],
    ['a negative id', { input: [1, -1] }, 'invalid_parameter', 'input[1]'],
    ['a fractional id', { input: [[0.5]] }, 'invalid_parameter', 'input[0][0]'],
    ['texts and ids', { input: ['a', 1] }, 'invalid_parameter', 'input[1]'],
    ['an unknown encoding', { input: 'a', encoding_format: 'int8' }, 'invalid_parameter', 'encoding_format'],
    ['dimensions of none', { input: 'a', dimensions: 0 }, 'invalid_parameter', 'dimensions'],
    ['no input', {}, 'invalid_parameter', 'input'],
    [
      'dimensions where there is one size',
      { model: 'sim-embed-fixed', input: 'a', dimensions: 8 },
      'invalid_parameter',
      'dimensions',
    ],
    ['more inputs than the model takes', { model: 'small', input: many(4, 'a') }, 'batch_too_large', 'input'],
    ['a text too long', { model: 'small', input: 'one two '.repeat(8) }, 'input_too_long', 'input'],
    [
      'a text too long among others',
      { model: 'small', input: ['a', 'b '.repeat(9)] },
      'input_too_long',
      'input[1]',
    ],
    ['too many ids', { model: 'small', input: [[1], many(9, 1)] }, 'input_too_long', 'input[1]'],
    [
      'too many tokens in all',
      { model: 'small', input: [many(8, 1), many(5, 1)] },
      'batch_too_large',
      'input',
    ],
    [
      'too many words in all',
      { model: 'small', input: many(3, 'a b c d e f g') },
      'batch_too_large',
      'input',
    ],
    [
      'a text too long for the provider',
      { model: 'unlimited', input: 'word '.repeat(9_000) },
      'input_too_long',
      'input',
    ],
    ['too many for the provider', { model: 'gemini', input: many(101, 'a') }, 'batch_too_large', 'input'],
    [
      'dimensions the provider refuses',
      { model: 'unlimited', input: 'a', dimensions: 8 },
      'invalid_parameter',
      '',
    ],
  ])('%s: refused, and nobody is charged', async (_, body, type, param) => {
    const before = await gateway.query<{ n: number }>(
      sql`select count(*) as n from calls where cost is not null`,
    );
    const refused = await refusal({ model: 'sim-embed', ...body });
    expect(refused).toMatchObject({ status: 400, type, ...(param !== '' && { param }) });
    const after = await gateway.query<{ n: number }>(
      sql`select count(*) as n from calls where cost is not null`,
    );
    expect(after).toEqual(before);
  });

  test('what stays within the limits of a model is taken', async () => {
    await askEmbeddings(gateway, { model: 'small', input: ['a b c d e f', 'g h i'] });
    await askEmbeddings(gateway, { model: 'small', input: [many(8, 1), many(4, 1)] });
    await askEmbeddings(gateway, { model: 'small', input: 'extraordinarily' });
  });

  test('a chat model embeds nothing, an embedding model does not chat, and another dialect cannot', async () => {
    expect(await refusal({ model: 'sim-chat', input: 'a' })).toMatchObject({
      status: 404,
      type: 'model_not_found',
    });
    expect(await refusal({ model: 'misplaced', input: 'a' })).toMatchObject({
      status: 404,
      type: 'model_not_found',
    });
    const chat = await gateway.chat({ model: 'sim-embed', messages: [{ role: 'user', content: 'a' }] });
    expect(chat.status).toBe(404);
  });

  test('a provider that fails is reported as such, recorded, and costs nothing', async () => {
    const reply = await gateway.post('/v1/embeddings', { model: 'failing', input: 'a' });
    expect(reply.status).toBe(502);
    // The record does not hold up the error.
    const row = await vi.waitFor(() => embeddingRow(gateway, reply.headers.get('x-request-id')), PATIENCE);
    expect(row).toMatchObject({
      endpoint: 'embeddings',
      outcome: 'failed',
      problem: 'upstream_error',
      cost: null,
    });
  });
});
