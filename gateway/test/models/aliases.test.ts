/** Aliases: names of models, for all spaces or one of them, wherever a model is named. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ModelObject } from '../../src/contract/models.ts';
import { sql } from '../../src/database/sql.ts';
import { BatchStage, chatLine } from '../support/batches-stage.ts';
import { startBeside } from '../support/beside.ts';
import { changeConfig, testConfig, withBatches } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';

const config = changeConfig(
  withBatches(
    testConfig({
      models: {
        'sim-embed': { endpoints: ['embeddings'], routes: [{ provider: 'simulator', model: 'sim-embed' }] },
        'at-provider': { batch: 'provider', routes: [{ provider: 'simulator', model: 'sim-chat' }] },
        hidden: { spaces: ['elsewhere'], routes: [{ provider: 'simulator', model: 'sim-chat' }] },
      },
      prices: {
        'sim-embed': { input: 0.02 },
        'at-provider': { input: 2, output: 4, batch_input: 1, batch_output: 2 },
      },
    }),
  ),
  { aliases: { general: 'sim-chat', vectors: 'sim-embed', secret: 'hidden', away: 'at-provider' } },
);
const acme = { space: 'acme' };
const VERSION = { 'anthropic-version': '2023-06-01' };
const messages = [{ role: 'user', content: 'Hi' }];

describe.each(engines)('on %s', (engine) => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startGateway({ engine, config });
    await gateway.admin('aliases.set', { ...acme, alias: 'fast', model: 'sim-chat-classic' });
  });
  afterAll(() => gateway?.stop());

  const get = async (path: string, headers = {}): Promise<Response> =>
    await fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${gateway.key}`, ...headers } });
  const ids = async (path = '/v1/models', headers = {}): Promise<string[]> =>
    ((await (await get(path, headers)).json()) as { data: Array<{ id: string }> }).data.map(({ id }) => id);

  test.each([
    ['/v1/chat/completions', { messages }],
    ['/v1/responses', { input: 'Hi' }],
    ['/v1/messages', { messages, max_tokens: 50 }],
  ])('a call of %s is answered, charged and recorded as the model', async (path, body) => {
    const response = await gateway.post(path, { model: 'fast', ...body }, VERSION);
    expect([response.status, response.headers.get('x-tollgate-model')]).toEqual([200, 'sim-chat-classic']);
    expect(((await response.json()) as { model: string }).model).toBe('sim-chat-classic');
    const { call } = await gateway.admin('why', { ref: response.headers.get('x-request-id') ?? '' });
    expect(call).toMatchObject({ model: 'sim-chat-classic', requested_model: 'fast', outcome: 'completed' });
    expect(call?.lines.map(({ price }) => price)).toEqual(expect.arrayContaining(['1', '2']));
  });

  test('embeddings, streams and counts of tokens take an alias', async () => {
    const vectors = await gateway.post('/v1/embeddings', { model: 'vectors', input: 'Hi' });
    expect(((await vectors.json()) as { model: string }).model).toBe('sim-embed');
    const stream = await gateway.chat({ model: 'fast', messages, stream: true });
    expect(stream.headers.get('x-tollgate-model')).toBe('sim-chat-classic');
    expect(await stream.text()).toContain('"model":"sim-chat-classic"');
    const count = await gateway.post('/v1/messages/count_tokens', { model: 'fast', messages }, VERSION);
    expect(count.status).toBe(200);
  });

  test('lists say what an alias points to', async () => {
    const { data } = (await (await get('/v1/models')).json()) as { data: ModelObject[] };
    const aliases = data.filter(({ alias_of }) => alias_of !== undefined);
    expect(aliases.map(({ id, alias_of }) => [id, alias_of])).toEqual([
      ['away', 'at-provider'],
      ['fast', 'sim-chat-classic'],
      ['general', 'sim-chat'],
      ['vectors', 'sim-embed'],
    ]);
    const { id: _, alias_of: __, ...same } = aliases[1] as ModelObject;
    expect(data.find(({ id }) => id === 'sim-chat-classic')).toMatchObject(same);
    expect(await (await get('/v1/models/fast')).json()).toEqual(aliases[1]);
    expect(await ids('/v1/models', VERSION)).toEqual(expect.arrayContaining(['fast', 'general']));
    expect(await (await get('/v1/models/fast', VERSION)).json()).toMatchObject({
      ...{ id: 'fast', display_name: 'fast (sim-chat-classic)' },
    });
    expect((await get('/v1/models/secret')).status).toBe(404);
    const { data: shown } = await gateway.admin('aliases.list', acme);
    expect(shown.map(({ name, source }) => [name, source])).toEqual([
      ['away', 'configuration'],
      ['fast', 'space'],
      ['general', 'configuration'],
      ['vectors', 'configuration'],
    ]);
  });

  test('a key needs the right to the model, and the name of the alias gives none', async () => {
    const { key } = await gateway.admin('keys.create', { ...acme, name: `few-${engine}`, kind: 'shared' });
    await gateway.admin('keys.models', { ...acme, name: `few-${engine}`, models: ['sim-chat'] });
    const as = { authorization: `Bearer ${key}` };
    expect((await gateway.chat({ model: 'general', messages }, as)).status).toBe(200);
    const denied = await gateway.chat({ model: 'fast', messages }, as);
    expect(denied.status).toBe(404);
    expect(await denied.text()).toContain('may not use the model sim-chat-classic');
    expect(await ids('/v1/models', as)).toEqual(['sim-chat', 'general']);
    await expect(
      gateway.admin('keys.models', { ...acme, name: `few-${engine}`, models: ['general'] }),
    ).rejects.toThrow('There is no model general');
  });

  test('an alias of one space is nothing in another', async () => {
    await gateway.admin('spaces.create', { name: 'lab', overage: true });
    const { key } = await gateway.admin('keys.create', { space: 'lab', name: 'lab', kind: 'shared' });
    const as = { authorization: `Bearer ${key}` };
    const denied = await gateway.chat({ model: 'fast', messages }, as);
    const unknown = await gateway.chat({ model: 'slow', messages }, as);
    expect([denied.status, unknown.status]).toEqual([404, 404]);
    expect(await denied.text()).not.toContain('classic.');
    expect(await ids('/v1/models', as)).not.toContain('fast');
    await gateway.admin('aliases.set', { space: 'lab', alias: 'general', model: 'sim-text-only' });
    const own = await gateway.chat({ model: 'general', messages }, as);
    expect(own.headers.get('x-tollgate-model')).toBe('sim-text-only');
    expect((await gateway.chat({ model: 'general', messages })).headers.get('x-tollgate-model')).toBe(
      'sim-chat',
    );
  });

  test('a change is used by the next calls, and written to the audit log', async () => {
    await gateway.admin('aliases.set', { ...acme, alias: 'moving', model: 'sim-chat' });
    await gateway.admin('aliases.set', { ...acme, alias: 'moving', model: 'sim-text-only' });
    await vi.waitFor(async () => {
      const response = await gateway.chat({ model: 'moving', messages });
      expect(response.headers.get('x-tollgate-model')).toBe('sim-text-only');
    }, PATIENCE);
    await gateway.admin('aliases.remove', { ...acme, alias: 'moving' });
    await vi.waitFor(
      async () => expect((await gateway.chat({ model: 'moving', messages })).status).toBe(404),
      PATIENCE,
    );
    const { data } = await gateway.admin('audit.list', { ...acme, limit: 3 });
    expect(data.map(({ action, subject }) => [action, subject])).toEqual([
      ['aliases.remove', 'moving'],
      ['aliases.set', 'moving'],
      ['aliases.set', 'moving'],
    ]);
  });

  test.runIf(engine === 'postgres')('another process uses a change, and so does the next start', async () => {
    const beside = await startBeside(gateway, config);
    try {
      const asked = async (): Promise<string | null> => {
        const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' };
        const body = JSON.stringify({ model: 'shared', messages });
        const response = await fetch(`${beside.url}/v1/chat/completions`, { method: 'POST', headers, body });
        return response.headers.get('x-tollgate-model');
      };
      expect(await asked()).toBeNull();
      await gateway.admin('aliases.set', { ...acme, alias: 'shared', model: 'sim-chat' });
      await vi.waitFor(async () => expect(await asked()).toBe('sim-chat'), PATIENCE);
      await gateway.admin('aliases.set', { ...acme, alias: 'shared', model: 'sim-text-only' });
      await vi.waitFor(async () => expect(await asked()).toBe('sim-text-only'), PATIENCE);
    } finally {
      await beside.stop();
    }
  });

  test('an alias can neither hide a model nor name something that is none', async () => {
    const set = (alias: string, model: string) => gateway.admin('aliases.set', { ...acme, alias, model });
    await expect(set('sim-chat', 'sim-text-only')).rejects.toThrow('There is already a model sim-chat');
    await expect(set('best', 'sim-chatt')).rejects.toThrow('Did you mean sim-chat?');
    await expect(set('best', 'fast')).rejects.toThrow('There is no model fast');
    await expect(set('best', 'hidden')).rejects.toThrow('There is no model hidden');
    expect(await set('constructor', 'sim-chat')).toEqual({ name: 'constructor', model: 'sim-chat' });
    await gateway.admin('aliases.remove', { ...acme, alias: 'constructor' });
    await expect(set('a/b', 'sim-chat')).rejects.toThrow('the name of an alias');
    await expect(gateway.admin('aliases.remove', { ...acme, alias: 'best' })).rejects.toThrow(
      'no alias best',
    );
    // A model that is added later wins.
    await gateway.query(sql`update spaces set aliases = aliases || '{"sim-text-only": "sim-chat"}'`);
    await gateway.admin('aliases.set', { ...acme, alias: 'later', model: 'sim-chat' });
    const response = await gateway.chat({ model: 'sim-text-only', messages });
    expect(response.headers.get('x-tollgate-model')).toBe('sim-text-only');
    const { data } = await gateway.admin('aliases.list', acme);
    expect(data.find(({ name }) => name === 'sim-text-only')).toMatchObject({ works: false });
  });

  test.each([
    ['our workers run', 'general', 'sim-chat'],
    ['the provider runs', 'away', 'at-provider'],
  ])(
    'lines of a batch that %s may name an alias, and the batch is one of its model',
    async (_, alias, model) => {
      const stage = new BatchStage(gateway);
      const lines = [chatLine('one', 'Hi', { model: alias }), chatLine('two', 'Hi', { model })];
      const { id } = await stage.submitted(lines);
      const batch = await stage.settled(id);
      expect(batch.request_counts).toMatchObject({ total: 2, completed: 2, failed: 0 });
      const output = await (await get(`/v1/files/${batch.output_file_id}/content`)).text();
      expect(output.match(new RegExp(`"model":"${model}"`, 'g'))).toHaveLength(2);
    },
  );
});
