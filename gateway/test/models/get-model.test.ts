/** `GET /v1/models/{id}`: one model, as the list shows it, for keys that may use it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ModelList } from '../../src/contract/models.ts';
import { openaiClient } from '../support/clients.ts';
import { simulated, testConfig } from '../support/config.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const SLASHED = 'meta/llama-4.1:free';
const config = testConfig({
  models: {
    [SLASHED]: simulated('sim-chat'),
    'acme-only': { ...simulated('sim-chat'), spaces: ['acme'] },
  },
});

describe.each(oneEngine('embedded', 'catalogue'))('one model on %s', (engine) => {
  let gateway: TestGateway;
  let narrow: string;
  let elsewhere: string;
  beforeAll(async () => {
    gateway = await startGateway({ engine, config });
    narrow = (await gateway.admin('keys.create', { name: 'narrow', kind: 'shared' })).key;
    await gateway.admin('keys.models', { name: 'narrow', models: ['sim-chat'] });
    await gateway.admin('spaces.create', { name: 'elsewhere', overage: true });
    elsewhere = (
      await gateway.admin('keys.create', { name: 'elsewhere', kind: 'shared', space: 'elsewhere' })
    ).key;
  });
  afterAll(() => gateway.stop());

  function get(path: string, key = gateway.key): Promise<Response> {
    return fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
  }

  async function refusal(id: string, key: string): Promise<{ status: number; type: string; detail: string }> {
    const reply = await get(`/v1/models/${id}`, key);
    const { type, detail } = (await reply.json()) as { type: string; detail: string };
    return { status: reply.status, type, detail };
  }

  test('every model of the list can be retrieved by the official client, and is the same object', async () => {
    const { data } = (await (await get('/v1/models')).json()) as ModelList;
    const { models } = openaiClient(gateway);
    expect(data.map(({ id }) => id)).toContain(SLASHED);
    for (const listed of data) expect(await models.retrieve(listed.id)).toEqual(listed);
  });

  test('a code with slashes is found with and without encoding them', async () => {
    for (const path of [`/v1/models/${SLASHED}`, `/v1/models/${encodeURIComponent(SLASHED)}`])
      expect(await (await get(path)).json()).toMatchObject({ id: SLASHED, object: 'model' });
  });

  test('a model of another space and one that does not exist get the same answer', async () => {
    const foreign = await refusal('acme-only', elsewhere);
    expect(foreign).toMatchObject({ status: 404, type: 'model_not_found' });
    const missing = await refusal('acme-nope', elsewhere);
    expect(missing.detail.replace('acme-nope', 'acme-only')).toBe(foreign.detail);
  });

  test('a model that the key may not use is 404, and the answer names those it may use', async () => {
    expect(await refusal('unpriced', narrow)).toEqual({
      status: 404,
      type: 'model_not_found',
      detail: 'This key may not use the model unpriced. It may use: sim-chat.',
    });
  });

  test('a misspelt code is answered with the closest one', async () => {
    expect((await refusal('sim-caht', gateway.key)).detail).toMatch(/Did you mean sim-chat\?/);
  });

  test('a key without units can still read it; a management key cannot', async () => {
    await gateway.admin('spaces.create', { name: 'poor', overage: false });
    const { key } = await gateway.admin('keys.create', { name: 'poor', kind: 'shared', space: 'poor' });
    expect((await get('/v1/models/sim-chat', key)).status).toBe(200);
    const { key: management } = await gateway.admin('keys.create', {
      name: 'mk',
      kind: 'management',
      space: 'acme',
    });
    expect((await get('/v1/models/sim-chat', management)).status).toBe(401);
  });
});
