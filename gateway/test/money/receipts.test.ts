/** `GET /v1/receipts/{request_id}`: what a call cost and how it went, for the key that made it. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Shape } from '../../src/contract/check-shape.ts';
import { ReceiptObject } from '../../src/contract/receipt.ts';
import { newId } from '../../src/kernel/ids.ts';
import { monthOf, systemClock } from '../../src/kernel/time.ts';
import { parseUnits, sumUnits, ZERO } from '../../src/kernel/units.ts';
import { simulated, testConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { makeOwnerKeys } from '../support/key-owners.ts';
import { PATIENCE } from '../support/patience.ts';
import { runCli } from '../support/run-cli.ts';

const everything = { capabilities: ['tools', 'streaming'] };
const config = testConfig({
  providers: {
    secretive: { dialect: 'anthropic', base_url: 'SIMULATOR_ORIGIN', api_key: 'simulator-key' },
    nowhere: { dialect: 'openai', base_url: 'http://127.0.0.1:1/v1', api_key: 'simulator-key' },
  },
  models: {
    claude: { ...everything, routes: [{ provider: 'secretive', model: 'sim-claude' }] },
    once: simulated('sim-fault-error-once'),
    breaks: simulated('sim-fault-error-500'),
    'second-road': {
      ...everything,
      routes: [
        { provider: 'nowhere', model: 'sim-chat', priority: 1 },
        { provider: 'simulator', model: 'sim-fault-error-503', priority: 2 },
        { provider: 'secretive', model: 'sim-claude', priority: 3 },
      ],
    },
    'sim-embed': { endpoints: ['embeddings'], routes: [{ provider: 'simulator', model: 'sim-embed' }] },
    film: { endpoints: ['video'], routes: [{ provider: 'simulator', model: 'sim-video' }] },
  },
  prices: {
    claude: { input: 3, output: 15 },
    'second-road': { input: 3, output: 15 },
    'sim-embed': { input: 0.1 },
    film: { per_second: '0.1' },
  },
  limits: { video_poll_ms: 100 },
});

describe.each(engines)('receipts on %s', (engine) => {
  let gateway: TestGateway;
  let keys: Record<string, string>;
  beforeAll(async () => {
    gateway = await startGateway({ engine, config });
    keys = await makeOwnerKeys(gateway, 'admin');
  });
  afterAll(() => gateway.stop());

  function ask(id: string, key = gateway.key): Promise<Response> {
    const headers = { authorization: `Bearer ${key}` };
    return fetch(`${gateway.url}/v1/receipts/${encodeURIComponent(id)}`, { headers });
  }

  /** The record of a failed call is written a moment after its answer. */
  async function receipt(id: string, key = gateway.key): Promise<ReceiptObject> {
    return await vi.waitFor(async () => {
      const reply = await ask(id, key);
      const body = (await reply.json()) as ReceiptObject;
      expect(reply.status, JSON.stringify(body)).toBe(200);
      expect(new Shape(ReceiptObject).error(body)).toBeNull();
      return body;
    }, PATIENCE);
  }

  async function chat(model: string, more: object = {}, key = gateway.key) {
    const body = { model, messages: [{ role: 'user', content: 'Reply with exactly: one two' }], ...more };
    const reply = await gateway.chat(body, { authorization: `Bearer ${key}` });
    return { id: reply.headers.get('x-request-id') ?? '', status: reply.status, text: await reply.text() };
  }

  function sumOf({ lines }: ReceiptObject): bigint {
    return sumUnits(lines.map(({ amount }) => parseUnits(amount)));
  }

  test('a call: the tokens and the cost of its answer, and lines that add up to it exactly', async () => {
    const { id, text } = await chat('sim-chat');
    const { usage, estimated_cost } = JSON.parse(text) as {
      usage: { prompt_tokens: number; completion_tokens: number };
      estimated_cost: { amount: string };
    };
    const found = await receipt(id);
    expect(found).toMatchObject({
      ...{ id, object: 'receipt', endpoint: 'chat', model: 'sim-chat', streamed: false },
      ...{ outcome: 'completed', problem: null, finish_reason: 'stop', attempts: 1, attempt_log: null },
      ...{ usage_source: 'provider', price_version: 'test-1', corrections: [], first_byte_ms: null },
      usage: { input_tokens: usage.prompt_tokens, output_tokens: usage.completion_tokens },
      ...{ cost: estimated_cost.amount, current_cost: estimated_cost.amount },
      month: monthOf(systemClock.now()),
    });
    expect(Math.abs(Date.parse(found.started_at) - systemClock.now())).toBeLessThan(60_000);
    expect(found.duration_ms).toBeGreaterThanOrEqual(0);
    expect(sumOf(found)).toBe(parseUnits(estimated_cost.amount));
    for (const { count, price, amount } of found.lines)
      expect(parseUnits(amount) * 1_000_000n).toBe(parseUnits(price) * BigInt(count));
  });

  test('a stream has the time of its first byte; an unknown price is null and never zero', async () => {
    const streamed = await receipt((await chat('sim-chat', { stream: true })).id);
    expect(streamed).toMatchObject({ streamed: true, finish_reason: 'stop' });
    expect(streamed.first_byte_ms).toBeLessThanOrEqual(streamed.duration_ms);
    const unpriced = await receipt((await chat('unpriced')).id);
    expect(unpriced).toMatchObject({ outcome: 'completed', cost: null, current_cost: null, lines: [] });
  });

  test('nothing in a receipt names a provider or its model, and reasons are in neutral words', async () => {
    const cut = await receipt((await chat('claude', { max_tokens: 1 })).id);
    expect(cut.finish_reason).toBe('length');
    const whole = await receipt((await chat('claude')).id);
    expect(whole.finish_reason).toBe('stop');
    expect(JSON.stringify([cut, whole])).not.toMatch(/secretive|sim-claude|end_turn|max_tokens|route/);
  });

  test('every attempt of a call that was retried, with its status and its time', async () => {
    const { id, status } = await chat('once');
    expect(status).toBe(200);
    const found = await receipt(id);
    expect(found).toMatchObject({
      ...{ outcome: 'completed', attempts: 2 },
      attempt_log: [
        { index: 1, status: 500, outcome: 'upstream_error' },
        { index: 2, status: 200, outcome: 'answered' },
      ],
    });
    for (const { duration_ms } of found.attempt_log ?? [])
      expect(duration_ms).toBeLessThanOrEqual(found.duration_ms);
  });

  test('attempts on other routes, and one that reached no provider', async () => {
    const { id, status } = await chat('second-road', { stream: true });
    expect(status).toBe(200);
    const found = await receipt(id);
    expect(found.attempt_log).toMatchObject([
      { index: 1, status: null, outcome: 'upstream_unavailable' },
      { index: 2, status: 503, outcome: 'upstream_unavailable' },
      { index: 3, status: 200, outcome: 'answered' },
    ]);
    expect(JSON.stringify(found)).not.toMatch(/nowhere|secretive|simulator|sim-/);
    const { stdout } = await runCli(['why', id, '--data', gateway.folder]);
    expect(stdout).toMatch(/Attempts\n[\s\S]*upstream_unavailable[\s\S]*answered/);
  });

  test('a call that failed is free, and shows the attempts', async () => {
    const { id, status } = await chat('breaks');
    expect(status).toBe(502);
    const found = await receipt(id);
    expect(found).toMatchObject({
      ...{ outcome: 'failed', problem: 'upstream_error', attempts: 3, usage_source: 'none' },
      ...{ cost: '0', current_cost: '0', lines: [], finish_reason: null },
    });
    expect(found.attempt_log?.map((attempt) => attempt.status)).toEqual([500, 500, 500]);
    expect(sumOf(found)).toBe(ZERO);
  });

  test('embeddings and responses have receipts too', async () => {
    for (const [path, body, endpoint] of [
      ['/v1/embeddings', { model: 'sim-embed', input: 'words' }, 'embeddings'],
      ['/v1/responses', { model: 'sim-chat', input: 'Hello.' }, 'responses'],
    ] as const) {
      const reply = await gateway.post(path, body);
      const { estimated_cost } = (await reply.json()) as { estimated_cost: { amount: string } };
      const found = await receipt(reply.headers.get('x-request-id') ?? '');
      expect(found).toMatchObject({ endpoint, cost: estimated_cost.amount });
      expect(sumOf(found)).toBe(parseUnits(estimated_cost.amount));
    }
  });

  test('a video has a receipt under the id of its job', async () => {
    const reply = await gateway.post('/v1/video/generations', { model: 'film', prompt: 'A red kite' });
    const { id } = (await reply.json()) as { id: string };
    const found = await vi.waitFor(async () => {
      const ended = await receipt(id);
      expect(ended.outcome).toBe('succeeded');
      return ended;
    }, PATIENCE);
    expect(found).toMatchObject({ endpoint: 'video', lines: [{ component: 'second' }] });
    expect(sumOf(found)).toBe(parseUnits(found.cost ?? ''));
  });

  test('a correction is shown beside the charge, and the current cost is the corrected one', async () => {
    const { id } = await chat('sim-chat');
    const { cost } = await receipt(id);
    await gateway.admin('ledger.correct', { call: id, amount: '0.000000000007', note: 'wrong price' });
    const corrected = await receipt(id);
    expect(corrected).toMatchObject({
      ...{ cost, current_cost: '0.000000000007' },
      corrections: [{ cost_before: cost, cost: '0.000000000007', note: 'wrong price' }],
    });
    expect(sumOf(corrected)).toBe(parseUnits(cost ?? ''));
  });

  test('a person reads the receipts of all their keys; everyone else gets the answer for a missing one', async () => {
    const { id } = await chat('sim-chat', {}, keys.ann);
    expect(await receipt(id, keys['ann-2'])).toEqual(await receipt(id, keys.ann));
    const missing = newId('req', systemClock.now());
    for (const other of ['bob', 'shared', 'elsewhere']) {
      const said = async (asked: string): Promise<unknown> => {
        const reply = await ask(asked, keys[other]);
        const { type, detail, error } = (await reply.json()) as {
          type: string;
          detail: string;
          error: { param: string };
        };
        return [reply.status, type, error.param, detail.replace(asked, 'ID')];
      };
      expect(await said(id)).toEqual(await said(missing));
      expect(await said(id)).toEqual([
        ...[404, 'receipt_not_found', 'request_id'],
        'There is no receipt "ID" that this key can read.',
      ]);
    }
    expect((await ask(id, keys.management)).status).toBe(401);
  });

  test.each(['x', 'req_', 'job_1', "' or 1=1 --", '\0', 'x'.repeat(2_000)])(
    'the id %j is 404',
    async (id) => {
      expect((await ask(id)).status).toBe(404);
    },
  );

  test('a request that was rejected before it reached a model has no receipt', async () => {
    const { id, status } = await chat('nothing');
    expect([status, (await ask(id)).status]).toEqual([404, 404]);
  });
});
