/** The queue of a route with `concurrency_max` is fair between spaces, also when it is full. */
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { testConfig } from '../support/config.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { LimitedProvider } from '../support/limited-provider.ts';
import { PATIENCE } from '../support/patience.ts';
import { metricsOf, parseMetrics, sumOf } from '../support/read-metrics.ts';

const WAITING_MAX = 50;
let gateway: TestGateway;
let provider: LimitedProvider;
let other: string;
let release: Array<() => void> = [];

beforeAll(async () => {
  provider = await LimitedProvider.start();
  const routes = [{ provider: 'narrow', model: 'm', concurrency_max: 1 }];
  gateway = await startGateway({
    config: testConfig({
      providers: { narrow: { dialect: 'openai', base_url: provider.url, api_key: 'k' } },
      models: { narrow: { routes } },
      limits: { route_queue: WAITING_MAX, route_queue_ms: 60_000 },
    }),
  });
  await gateway.admin('spaces.create', { name: 'lab', overage: true });
  other = (await gateway.admin('keys.create', { space: 'lab', name: 'lab', kind: 'shared' })).key;
});
afterAll(async () => {
  await gateway?.stop();
  await provider?.stop();
});
beforeEach(() => {
  provider.requests.length = 0;
  release = [];
  provider.answer = () => new Promise((resolve) => release.push(() => resolve(null)));
});

const ask = (content: string, key = gateway.key): Promise<number> =>
  gateway
    .chat({ model: 'narrow', messages: [{ role: 'user', content }] }, { authorization: `Bearer ${key}` })
    .then(async (response) => {
      await response.text();
      return response.status;
    });

/** Calls of `acme`: one is being answered, the others wait. */
async function fill(calls: number): Promise<Array<Promise<number>>> {
  const first = ask('acme');
  await vi.waitFor(() => expect(release).toHaveLength(1), PATIENCE);
  const others = Array.from({ length: calls }, () => ask('acme'));
  await inQueue(calls);
  return [first, ...others];
}

async function inQueue(calls: number): Promise<void> {
  await vi.waitFor(async () => {
    const series = parseMetrics(await (await metricsOf(gateway)).text());
    expect(sumOf(series, 'tollgate_route_queue_waiting')).toBe(calls);
  }, PATIENCE);
}

/** Answers the calls one by one as they arrive at the provider. */
async function answerAll(calls: number): Promise<void> {
  for (let i = 0; i < calls; i++) {
    await vi.waitFor(() => expect(release.length).toBeGreaterThan(i), PATIENCE);
    release[i]?.();
  }
}

test('the single call of a space is served next but one, although another space has 50 waiting', async () => {
  const calls = await fill(WAITING_MAX - 1);
  const lab = ask('lab', other);
  await inQueue(WAITING_MAX);
  await answerAll(WAITING_MAX + 1);
  expect(new Set(await Promise.all([...calls, lab]))).toEqual(new Set([200]));
  const order = provider.requests.map(({ text }) => (text.includes('lab') ? 'lab' : 'acme'));
  expect(order.indexOf('lab')).toBeLessThanOrEqual(2);
});

test('a space that fills the queue does not keep another one out, and gives up its latest place', async () => {
  const calls = await fill(WAITING_MAX);
  const lab = ask('lab', other);
  const rejected = await Promise.race(calls);
  expect(rejected).toBe(429);
  expect(await ask('acme')).toBe(429);
  await answerAll(WAITING_MAX + 1);
  const statuses = await Promise.all(calls);
  expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  expect(statuses.at(-1)).toBe(429);
  expect(await lab).toBe(200);
});
