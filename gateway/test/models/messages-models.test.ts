/** `GET /v1/models` for clients of the messages format: they send `anthropic-version` and read Anthropic's shape. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Shape } from '../../src/contract/check-shape.ts';
import { MessagesModelList } from '../../src/contract/messages-models.ts';
import type { ModelList } from '../../src/contract/models.ts';
import { anthropicClient } from '../support/clients.ts';
import { simulated, testConfig } from '../support/config.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const config = testConfig({
  models: {
    'sim-chat': { context_tokens: 400_000, output_tokens_max: 128_000 },
    'sim-embed': { ...simulated('sim-embed'), endpoints: ['embeddings'], capabilities: [] },
    'acme-only': { ...simulated('sim-chat'), spaces: ['acme'] },
    'meta/llama': simulated('sim-chat'),
  },
});
const VERSION = { 'anthropic-version': '2023-06-01' };

describe.each(oneEngine('embedded', 'catalogue'))('models for messages clients on %s', (engine) => {
  let gateway: TestGateway;
  let elsewhere: string;
  beforeAll(async () => {
    gateway = await startGateway({ engine, config });
    await gateway.admin('spaces.create', { name: 'elsewhere', overage: true });
    const made = await gateway.admin('keys.create', {
      name: 'elsewhere',
      kind: 'shared',
      space: 'elsewhere',
    });
    elsewhere = made.key;
  });
  afterAll(() => gateway.stop());

  function get(path: string, headers: Record<string, string>): Promise<Response> {
    return fetch(`${gateway.url}${path}`, { headers });
  }

  async function allIds(client = anthropicClient(gateway), limit = 1000): Promise<string[]> {
    const ids: string[] = [];
    for await (const { id } of client.models.list({ limit })) ids.push(id);
    return ids;
  }

  async function callableIds(): Promise<string[]> {
    const reply = await get('/v1/models', { authorization: `Bearer ${gateway.key}` });
    const { data } = (await reply.json()) as ModelList;
    return data.filter(({ endpoints }) => endpoints.includes('/v1/messages')).map(({ id }) => id);
  }

  test('the official client lists every model that it can call, with x-api-key', async () => {
    const ids = await allIds();
    expect(ids).toEqual(await callableIds());
    expect(ids).not.toContain('sim-embed');
    expect(ids).toContain('acme-only');
    const { data } = await anthropicClient(gateway).models.list();
    expect(data.find(({ id }) => id === 'sim-chat')).toEqual({
      type: 'model',
      id: 'sim-chat',
      display_name: 'sim-chat',
      description: '2.5 units for input, 10 for output, per 1,000,000 tokens',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      max_input_tokens: 400_000,
      max_tokens: 128_000,
      capabilities: null,
    });
    expect(data.find(({ id }) => id === 'unpriced')).toMatchObject({
      description: null,
      max_input_tokens: null,
      max_tokens: null,
    });
  });

  test('the answer has the declared shape, also to a bearer token as agents send it', async () => {
    const headers = { ...VERSION, authorization: `Bearer ${gateway.key}` };
    const reply = await get('/v1/models?limit=1000&beta=true', headers);
    expect(new Shape(MessagesModelList).error(await reply.json())).toBeNull();
  });

  test('pages of any size give the whole list, forwards and backwards', async () => {
    const client = anthropicClient(gateway);
    const all = await allIds(client);
    for (const limit of [1, 2, all.length]) expect(await allIds(client, limit)).toEqual(all);
    const backwards: string[] = [];
    let page = await client.models.list({ before_id: all.at(-1) as string, limit: 3 });
    for (;;) {
      backwards.unshift(...page.data.map(({ id }) => id));
      if (!page.has_more) break;
      page = await client.models.list({ before_id: page.first_id as string, limit: 3 });
    }
    expect(backwards).toEqual(all.slice(0, -1));
  });

  test('an invalid page is rejected, naming the parameter', async () => {
    const key = { ...VERSION, 'x-api-key': gateway.key };
    const cases = {
      'limit=0': 'limit',
      'limit=1001': 'limit',
      'after_id=nope': 'after_id',
      'before_id=sim-embed': 'before_id',
      'after_id=sim-chat&before_id=sim-chat': 'before_id',
      'order=asc': 'order',
    };
    for (const [query, param] of Object.entries(cases)) {
      const reply = await get(`/v1/models?${query}`, key);
      expect(reply.status, query).toBe(400);
      expect(await reply.json(), query).toMatchObject({ type: 'invalid_parameter', error: { param } });
    }
  });

  test('one model can be retrieved; one that the format cannot call, or of another space, is 404', async () => {
    const client = anthropicClient(gateway);
    expect(await client.models.retrieve('meta/llama')).toMatchObject({ type: 'model', id: 'meta/llama' });
    await expect(client.models.retrieve('sim-embed')).rejects.toMatchObject({ status: 404 });
    const foreign = anthropicClient({ url: gateway.url, key: elsewhere });
    await expect(foreign.models.retrieve('acme-only')).rejects.toMatchObject({ status: 404 });
    expect(await allIds(foreign)).not.toContain('acme-only');
    const cursor = await get('/v1/models?after_id=acme-only', { ...VERSION, 'x-api-key': elsewhere });
    expect(cursor.status).toBe(400);
  });

  test('without the header the list has the shape of OpenAI, with the sizes of a model, and needs a bearer token', async () => {
    const reply = await get('/v1/models/sim-chat', { authorization: `Bearer ${gateway.key}` });
    expect(await reply.json()).toMatchObject({
      object: 'model',
      max_input_tokens: null,
      context_length: 400_000,
      max_output_tokens: 128_000,
    });
    expect((await get('/v1/models', { 'x-api-key': gateway.key })).status).toBe(401);
    expect((await get('/v1/models', VERSION)).status).toBe(401);
  });

  test('HEAD / answers 200 without a key and without a body, as agents ask at their start', async () => {
    const reply = await fetch(gateway.url, { method: 'HEAD' });
    expect(reply.status).toBe(200);
    expect(await reply.text()).toBe('');
  });
});
