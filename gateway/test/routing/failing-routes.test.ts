/**
 * A route that fails is not noticed by callers, and routes that all fail are reported at once. `npm run
 * test:failing-routes` is the long form, which also compares the latency.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testConfig } from '../support/config.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { LimitedProvider } from '../support/limited-provider.ts';

const LONG = process.env.TOLLGATE_FAILING_CALLS !== undefined;
const CALLS = Number(process.env.TOLLGATE_FAILING_CALLS ?? 60);
const AT_ONCE = 8;
const TOTAL_MS = 1_500;
let gateway: TestGateway;
const providers: LimitedProvider[] = [];

beforeAll(async () => {
  for (let i = 0; i < 2; i++) providers.push(await LimitedProvider.start());
  const routes = [0, 1].map((i) => ({ provider: `p${i}`, model: 'm' }));
  gateway = await startGateway({
    config: testConfig({
      providers: Object.fromEntries(
        providers.map(({ url }, i) => [`p${i}`, { dialect: 'openai', base_url: url, api_key: 'k' }]),
      ),
      models: { pair: { routes }, silent: { routes } },
      limits: { call_total_ms: TOTAL_MS },
    }),
  });
});
afterAll(async () => {
  await gateway?.stop();
  await Promise.all(providers.map((provider) => provider.stop()));
});

interface Timed {
  readonly status: number;
  readonly ms: number;
  readonly text: string;
}

async function ask(model: string, content: string): Promise<Timed> {
  const startedMs = performance.now();
  const response = await gateway.chat({ model, messages: [{ role: 'user', content }] });
  const text = await response.text();
  return { status: response.status, ms: performance.now() - startedMs, text };
}

/** Every call is another conversation, so that both routes would get their share. */
async function load(calls: number, name: string): Promise<Timed[]> {
  const done: Timed[] = [];
  let next = 0;
  const one = async (): Promise<void> => {
    while (next < calls) done.push(await ask('pair', `${name} ${next++}`));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return done;
}

function p99(calls: readonly Timed[]): number {
  return calls.map(({ ms }) => ms).toSorted((a, b) => a - b)[Math.floor(calls.length * 0.99)] ?? 0;
}

test('with one of two routes failing, no call fails, and the failing route is left alone', async () => {
  // The long form compares times, so that everything has to be compiled before.
  await load(LONG ? CALLS * 2 : AT_ONCE * 4, 'warm-up');
  const normal = await load(CALLS, 'normal');
  for (const { requests } of providers) requests.length = 0;
  const [failing, working] = providers as [LimitedProvider, LimitedProvider];
  failing.answer = () => ({ status: 500 });
  const started = await load(LONG ? CALLS : 30, 'first');
  const asked = failing.requests.length;
  const failed = await load(CALLS, 'failing');
  failing.answer = () => null;
  const statuses = [...normal, ...started, ...failed].map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200]));
  // Its circuit is open: from time to time one call tries it.
  expect(failing.requests.length - asked).toBeLessThan(CALLS * 0.05 + 3);
  expect(working.requests.length).toBe(started.length + failed.length);
  const figures = { normal: p99(normal), failing: p99(failed), calls: CALLS };
  if (!LONG) return;
  console.log(
    `p99 ${figures.normal.toFixed(1)} ms with both routes, ${figures.failing.toFixed(1)} ms with one`,
  );
  expect(figures.failing).toBeLessThan(figures.normal * 2);
});

test('silent providers are given up within the time limit of a whole answer', async () => {
  for (const provider of providers) provider.answer = () => new Promise(() => undefined);
  const { status, ms, text } = await ask('silent', 'Are you there?');
  expect([status, text]).toEqual([504, expect.stringContaining('upstream_timeout')]);
  expect(ms).toBeGreaterThan(TOTAL_MS * 0.9);
  expect(ms).toBeLessThan(TOTAL_MS * 3);
});

test('with both routes failing, callers get a clear 503 at once', async () => {
  for (const provider of providers) provider.answer = () => ({ status: 503 });
  const answers = await load(24, 'both');
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
  expect(answers.at(-1)?.text).toContain('upstream_unavailable');
  expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(TOTAL_MS);
});
