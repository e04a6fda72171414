/** Budgets and what is charged later: batches, whose lines differ, videos, and responses that run in the background. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { BatchStage } from '../support/batches-stage.ts';
import { simulated, testConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';
import { batchLine } from '../support/provider-batches-stage.ts';
import { VideoStage } from '../support/video-jobs-stage.ts';

const config = testConfig({
  models: {
    // Reserves of batches are a quarter more than a line costs.
    unit: { ...simulated('sim-chat'), batch: true },
    film: {
      endpoints: ['video'],
      video: { seconds: [4], seconds_default: 4, resolutions: ['720p'] },
      routes: [{ provider: 'simulator', model: 'sim-video' }],
    },
  },
  prices: {
    unit: { input: 0, output: 0, request: '1', when: [{ batch: true, factor: '1' }] },
    film: { per_second: '0.25' },
  },
  limits: { video_poll_ms: 50 },
});

interface Line {
  readonly user?: string;
  readonly metadata?: Record<string, string>;
}

function lineOf({ user, metadata }: Line, at: number): string {
  const body = { model: 'unit', messages: [{ role: 'user', content: 'hi' }], max_completion_tokens: 20 };
  return batchLine(`row ${at}`, { body: { ...body, ...(user && { user }), ...(metadata && { metadata }) } });
}

describe.each(engines)('budgets of work that is charged later on %s', (engine) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ engine, config });
  });
  afterAll(async () => {
    expect((await gateway.admin('ledger.verify')).disagreements).toEqual([]);
    await gateway.stop();
  });

  async function add(budget: {
    amount: string;
    tags?: string;
    per?: string;
    end_user?: string;
    hard?: boolean;
  }) {
    const name = `b-${randomUUID().slice(0, 8)}`;
    await gateway.admin('budgets.add', { space: 'acme', name, window: 'month', hard: true, ...budget });
    return name;
  }
  const get = (budget: string) => gateway.admin('budgets.get', { space: 'acme', budget });
  const remove = (budget: string) => gateway.admin('budgets.remove', { space: 'acme', budget });

  async function submit(lines: readonly Line[], tags?: string) {
    const stage = new BatchStage(gateway);
    const file = await stage.upload(lines.map(lineOf));
    const reply = await stage.submit(
      { input_file_id: file },
      tags === undefined ? {} : { 'x-tollgate-tags': tags },
    );
    const body = (await reply.json()) as { id: string; type?: string; detail?: string };
    return { status: reply.status, body, settled: () => stage.settled(body.id) };
  }

  test('a batch reserves what it may cost in a budget, and one that does not fit is refused', async () => {
    const tags = `team=${randomUUID()}`;
    const name = await add({ tags, amount: '6' });
    const first = await submit([{}, {}, {}], tags);
    expect(first.status).toBe(200);
    const second = await submit([{}, {}, {}], tags);
    expect([second.status, second.body.type]).toEqual([429, 'budget_exceeded']);
    expect(second.body.detail).toContain(name);
    expect((await submit([{}, {}, {}])).status).toBe(200);
    await first.settled();
    expect(await get(name)).toMatchObject({ spent: '3', reserved: '0', requests: 3 });
    expect((await submit([{}, {}], tags)).status).toBe(200);
  });

  test('each line counts in the budget of its own end user, and one of them stops the batch', async () => {
    const [ann, bob] = [randomUUID(), randomUUID()];
    const name = await add({ per: 'end_user', amount: '3' });
    try {
      const fits = await submit([{ user: ann }, { user: ann }, { user: bob }, {}]);
      expect(fits.status).toBe(200);
      await fits.settled();
      const { data } = await gateway.admin('budgets.values', { space: 'acme', budget: name });
      expect(data.map(({ value, spent }) => [value, spent])).toEqual([
        [ann, '2'],
        [bob, '1'],
      ]);
      const refused = await submit([{ user: bob }, { user: ann }]);
      expect(refused.body.type).toBe('budget_exceeded');
      expect(refused.body.detail).toContain(`for ${ann}`);
      expect((await submit([{ user: bob }])).status).toBe(200);
    } finally {
      await remove(name);
    }
  });

  test('tags of the header of a batch decide, those of lines count where it has none', async () => {
    const team = randomUUID();
    const name = await add({ tags: `team=${team}`, amount: '2.5' });
    const line = { metadata: { team } };
    const fits = await submit([line, {}, {}, {}]);
    expect(fits.status).toBe(200);
    await fits.settled();
    expect(await get(name)).toMatchObject({ spent: '1' });
    expect((await submit([line, line])).body.type).toBe('budget_exceeded');
    expect((await submit([line, line], `team=${randomUUID()}`)).status).toBe(200);
  });

  test('a soft budget counts a batch and refuses none', async () => {
    const tags = `team=${randomUUID()}`;
    const name = await add({ tags, amount: '1', hard: false });
    const taken = await submit([{}, {}, {}], tags);
    await taken.settled();
    expect(await get(name)).toMatchObject({ spent: '3', requests: 3 });
  });

  test('a video reserves what it may cost in a budget, and counts when it is done', async () => {
    const tags = `team=${randomUUID()}`;
    const name = await add({ tags, amount: '1.5' });
    const stage = new VideoStage(gateway);
    const create = () => stage.create({ model: 'film', prompt: randomUUID() }, { 'x-tollgate-tags': tags });
    const made = await create();
    expect(made.status).toBe(200);
    const refused = await create();
    expect(refused.status).toBe(429);
    expect(((await refused.json()) as { type: string }).type).toBe('budget_exceeded');
    await stage.ended(((await made.json()) as { id: string }).id);
    expect(await get(name)).toMatchObject({ spent: '1', reserved: '0', requests: 1 });
  });

  test('a response in the background counts in the budgets of its request', async () => {
    const tags = `team=${randomUUID()}`;
    const name = await add({ tags, amount: '1' });
    const create = () =>
      gateway.post(
        '/v1/responses',
        { model: 'unit', input: 'hi', background: true, max_output_tokens: 20 },
        {
          'x-tollgate-tags': tags,
        },
      );
    expect((await create()).status).toBe(200);
    await vi.waitFor(
      async () => expect(await get(name)).toMatchObject({ spent: '1', requests: 1 }),
      PATIENCE,
    );
    const refused = await create();
    expect([
      refused.status,
      ((await refused.json()) as { error?: { code?: string }; type?: string }).type,
    ]).toEqual([429, 'budget_exceeded']);
  });
});
