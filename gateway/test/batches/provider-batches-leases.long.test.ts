/** A batch is created at its provider at most once, even if another process takes it over at any step. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HoldPoint } from '../../simulator/batches/batch-cues.ts';
import { startSimulator } from '../../simulator/simulator.ts';
import { sql } from '../../src/database/sql.ts';
import { Problem } from '../../src/kernel/problem.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { AnthropicBatchProvider } from '../../src/providers/anthropic/batches/anthropic-batch-provider.ts';
import { NotSent } from '../../src/providers/not-sent.ts';
import { ProviderCalls } from '../../src/providers/provider-calls.ts';
import { ProviderMask } from '../../src/providers/provider-mask.ts';
import { BatchStage } from '../support/batches-stage.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';
import { madeOf, numbered, providerConfig } from '../support/provider-batches-stage.ts';

describe.each(engines)('a lease lost on %s', (engine) => {
  let gateway: TestGateway;
  let stage: BatchStage;
  beforeAll(async () => {
    gateway = await startGateway({ engine, config: providerConfig(300) });
    stage = new BatchStage(gateway);
  });
  afterAll(async () => {
    expect((await gateway.admin('ledger.verify')).disagreements).toEqual([]);
    await gateway.stop();
  });

  const isWaitingAt = (point: HoldPoint, count = 1): Promise<void> =>
    expect.poll(() => gateway.simulator.shop.held(point), PATIENCE).toBe(count);
  /** As if the lease had expired: another process claims the job while the first still runs. */
  const loseLease = (id: string) =>
    gateway.query(
      sql`update jobs set epoch = epoch + 1, lease_until = null, due_at = now() where subject = ${id}`,
    );
  const rowOf = async (id: string) =>
    (
      await gateway.query<{ file: string | null; batch: string | null; status: string }>(sql`
        select provider_file_id as file, provider_batch_id as batch, status from batches where id = ${id}`)
    )[0];

  test('during the upload: the next process uploads again, and the first changes nothing', async () => {
    const made = await stage.submitted(numbered('their-chat', 3, 'hold-upload', 'stay'));
    await isWaitingAt('upload');
    await loseLease(made.id);
    await expect.poll(async () => (await rowOf(made.id))?.batch, PATIENCE).not.toBeNull();
    const before = await rowOf(made.id);
    gateway.simulator.shop.release('upload');
    await gateway.simulator.waitFor(
      ({ path, bytes, finished }) => path === '/v1/files' && finished && bytes.includes(made.id),
    );
    expect((await rowOf(made.id))?.file).toBe(before?.file);
    await stage.cancel(made.id);
    await stage.settled(made.id);
    expect(madeOf(gateway, made.id)).toHaveLength(1);
    expect(await rowOf(made.id)).toEqual({ ...before, status: 'cancelled' });
  });

  test('before the batch is created: the file is withdrawn, so a late request creates nothing', async () => {
    const made = await stage.submitted(numbered('their-chat', 3, 'hold-create-before'));
    await isWaitingAt('create-before');
    await loseLease(made.id);
    const batch = await stage.settled(made.id);
    const late = gateway.simulator.calls.find(
      ({ path, method, finished }) => path === '/v1/batches' && method === 'POST' && !finished,
    );
    gateway.simulator.shop.release('create-before');
    await gateway.simulator.waitFor(({ id, finished }) => id === late?.id && finished);
    expect(madeOf(gateway, made.id)).toHaveLength(1);
    expect(await stage.get(made.id)).toEqual(batch);
  });

  test('after the batch was created: the next process finds it, pages behind the newest, and creates no other', async () => {
    const made = await stage.submitted(numbered('their-chat', 3, 'hold-create'));
    await isWaitingAt('create');
    await strangers(12);
    await loseLease(made.id);
    const batch = await stage.settled(made.id);
    gateway.simulator.shop.release('create');
    expect(batch.request_counts).toMatchObject({ completed: 3 });
    expect(madeOf(gateway, made.id)).toHaveLength(1);
    const looked = gateway.simulator.calls.filter(
      ({ path, query }) => path === '/v1/batches' && query.includes('after='),
    );
    expect(looked.length).toBeGreaterThanOrEqual(2);
  });

  test('while results are read: the next process reads them, and they are charged once', async () => {
    const made = await stage.submitted(numbered('their-chat', 3, 'hold-results'));
    await isWaitingAt('results');
    await loseLease(made.id);
    const batch = await stage.settled(made.id);
    gateway.simulator.shop.release('results');
    expect(batch.request_counts).toEqual({ total: 3, completed: 3, failed: 0 });
    expect(await gateway.query(sql`select 1 from journal where ref = ${made.id}`)).toHaveLength(1);
  });

  test('a batch that cannot carry our id is recognised by its results, among others of the same size', async () => {
    await anthropicStranger(3, 'ended');
    const made = await stage.submitted(numbered('their-claude', 3, 'hold-create'));
    await isWaitingAt('create', 1);
    const running = await anthropicStranger(3, '[[batch stay]]');
    await loseLease(made.id);
    const batch = await stage.settled(made.id);
    gateway.simulator.shop.release('create');
    expect(batch.request_counts).toEqual({ total: 3, completed: 3, failed: 0 });
    expect(madeOf(gateway, made.id)).toHaveLength(1);
    const theirs = gateway.simulator.shop.find(running, 'anthropic');
    expect(theirs).toMatchObject({ cancelledAt: null, removed: false });
    (theirs as { endsAt: number }).endsAt = 0;
  });

  test('a batch that may belong to another is never cancelled, and nothing is created while it runs', async () => {
    const made = await stage.submitted(numbered('their-claude', 4, 'create-reset', 'stay'));
    await expect.poll(() => madeOf(gateway, made.id).length, PATIENCE).toBe(1);
    await stage.cancel(made.id);
    const lists = (): number =>
      gateway.simulator.calls.filter(
        ({ path, method }) => path === '/v1/messages/batches' && method === 'GET',
      ).length;
    const before = lists();
    await expect.poll(() => lists() - before, PATIENCE).toBeGreaterThanOrEqual(2);
    const [theirs] = madeOf(gateway, made.id);
    expect(theirs?.cancelledAt).toBeNull();
    (theirs as { endsAt: number }).endsAt = 0;
    expect(await stage.settled(made.id)).toMatchObject({
      status: 'completed',
      request_counts: { completed: 4 },
    });
    expect(madeOf(gateway, made.id)).toHaveLength(1);
  });

  async function strangers(count: number): Promise<void> {
    const bytes = Buffer.from('{"custom_id":"stranger-1"}\n');
    const file = gateway.simulator.shop.addFile({ name: 'stranger.jsonl', purpose: 'batch', bytes });
    for (let i = 0; i < count; i++) {
      const reply = await ask('/v1/batches', {
        input_file_id: file.id,
        endpoint: '/v1/chat/completions',
        completion_window: '24h',
        metadata: { tollgate_batch: 'batch_of_another_house' },
      });
      expect(reply.status).toBe(200);
    }
  }

  async function anthropicStranger(lines: number, content: string): Promise<string> {
    const params = { model: 'sim-claude', max_tokens: 9, messages: [{ role: 'user', content }] };
    const requests = Array.from({ length: lines }, (_, i) => ({ custom_id: `stranger-${i}`, params }));
    const reply = await ask('/v1/messages/batches', { requests });
    expect(reply.status).toBe(200);
    return ((await reply.json()) as { id: string }).id;
  }

  const ask = (path: string, body: object): Promise<Response> =>
    fetch(`${gateway.simulator.origin}${path}`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer simulator-key',
        'x-api-key': 'simulator-key',
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
});

describe('mayAct', () => {
  test('without its consent the request stays incomplete, and the provider creates nothing', async () => {
    const simulator = await startSimulator({ apiKey: 'simulator-key' });
    const mask = ProviderMask.knowing('simulator-key');
    const tools = {
      clock: systemClock,
      connectTimeoutMs: 5_000,
      silenceTimeoutMs: 5_000,
      callTotalMs: 60_000,
      transferTotalMs: 60_000,
      mask,
    };
    const { origin: baseUrl, shop } = simulator;
    const headers = { 'x-api-key': 'simulator-key' };
    const problem = (): Problem => new Problem('upstream_error');
    const calls = new ProviderCalls({ baseUrl, headers, mask, problem }, tools);
    const batches = new AnthropicBatchProvider(calls);
    const params = { model: 'sim-claude', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] };
    const body = Buffer.from(JSON.stringify(params));
    const line = batches.writeLine({ customId: 'a-1', dialect: 'messages', body });
    const input = {
      batchId: 'a',
      dialect: 'messages',
      lines: 1,
      bytes: line.length,
      async *pieces() {
        yield line;
      },
    } as const;
    const create = (mayAct: () => Promise<boolean>) =>
      batches.create({ input, fileId: null, mayAct }, new AbortController().signal);
    await expect(create(async () => false)).rejects.toBeInstanceOf(NotSent);
    await expect(create(() => Promise.reject(new Error('lost')))).rejects.toBeInstanceOf(NotSent);
    expect(shop.batches).toEqual([]);
    await create(async () => true);
    expect(shop.batches).toHaveLength(1);
    calls.close();
    await simulator.stop();
  });
});
