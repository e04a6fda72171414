/** Pools of keys, limits of routes and providers, and strategies: what a call tries, in which order. */
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Clock, systemClock } from '../../src/kernel/time.ts';
import { testConfig } from '../support/config.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { LimitedProvider } from '../support/limited-provider.ts';
import { PATIENCE } from '../support/patience.ts';

/** A model for each test: rests and breakers belong to a route. */
const POOLED = ['pooled', 'pooled-401', 'pooled-429', 'pooled-log', 'pooled-echo'];
const BOTH = ['both-1', 'both-2', 'both-3'];
const KEYS = ['pool-key-one', 'pool-key-two', 'pool-key-three'];
/** Conversations, of which none has another key than the others by chance. */
const MANY = 200;
/** No other timer has this length. */
const QUEUE_MS = 59_999;

describe.each(oneEngine('postgres', 'providers'))('on %s', (engine) => {
  // Time stands unless a test lets it pass, so that what is measured does not depend on the machine.
  let elapsedMs = systemClock.elapsedMs();
  const pass = (ms: number): void => {
    elapsedMs += ms;
  };
  /** Ends of the waits for a route. */
  const waits = new Set<() => void>();
  const clock: Clock = {
    ...systemClock,
    elapsedMs: () => elapsedMs,
    after(delayMs, work) {
      if (delayMs !== QUEUE_MS) return systemClock.after(delayMs, work);
      waits.add(work);
      return () => waits.delete(work);
    },
  };
  async function endWaits(count: number): Promise<void> {
    await vi.waitFor(() => expect(waits.size).toBe(count), PATIENCE);
    for (const end of [...waits]) end();
  }
  let gateway: TestGateway;
  let one: LimitedProvider;
  let two: LimitedProvider;

  beforeAll(async () => {
    [one, two] = [await LimitedProvider.start(), await LimitedProvider.start()];
    const both = (more: object = {}): object => ({
      routes: [
        { provider: 'one', model: 'm', ...more },
        { provider: 'two', model: 'm', priority: 2 },
      ],
    });
    const config = testConfig({
      providers: {
        pool: { dialect: 'openai', base_url: one.url, api_keys: KEYS },
        one: { dialect: 'openai', base_url: one.url, api_key: 'first' },
        two: { dialect: 'openai', base_url: two.url, api_key: 'second' },
      },
      models: {
        ...Object.fromEntries(POOLED.map((name) => [name, { routes: [{ provider: 'pool', model: 'm' }] }])),
        ...Object.fromEntries(BOTH.map((name) => [name, both()])),
        single: { routes: [{ provider: 'one', model: 'm' }] },
        'single-429': { routes: [{ provider: 'one', model: 'm' }] },
        narrow: { routes: [{ provider: 'one', model: 'm', concurrency_max: 1 }] },
        'narrow-both': both({ concurrency_max: 1 }),
        busy: {
          strategy: 'least_busy',
          routes: [
            { provider: 'one', model: 'm' },
            { provider: 'two', model: 'm' },
          ],
        },
        quick: {
          strategy: 'lowest_latency',
          routes: [
            { provider: 'one', model: 'm' },
            { provider: 'two', model: 'm' },
          ],
        },
      },
      limits: { route_queue: 2, route_queue_ms: QUEUE_MS },
    });
    gateway = await startGateway({ engine, config, clock });
  });
  afterAll(async () => {
    await gateway?.stop();
    await Promise.all([one?.stop(), two?.stop()]);
  });
  beforeEach(() => {
    one.requests.length = 0;
    two.requests.length = 0;
    one.answer = () => null;
    two.answer = () => null;
  });

  const ask = (model: string, content = 'Hi', headers = {}): Promise<Response> =>
    gateway.chat({ model, messages: [{ role: 'user', content }] }, { connection: 'close', ...headers });

  async function status(model: string, content?: string): Promise<number> {
    const response = await ask(model, content);
    await response.text();
    return response.status;
  }

  async function attemptsOf(response: Response): Promise<unknown[] | null> {
    await response.text();
    const ref = response.headers.get('x-request-id') ?? '';
    const { call } = await gateway.admin('why', { ref });
    return call?.attempt_log ?? null;
  }

  test('conversations spread over the keys of a pool, and each keeps its key', async () => {
    // The space is part of what is drawn by, so it differs from run to run how many it takes to use every key.
    const first: string[] = [];
    while (new Set(first).size < KEYS.length && first.length < MANY) {
      await status('pooled', `Conversation ${first.length}`);
      first.push(...one.takeKeys());
    }
    expect(new Set(first)).toEqual(new Set(KEYS));
    for (let i = 0; i < first.length; i++) await status('pooled', `Conversation ${i}`);
    expect(one.takeKeys()).toEqual(first);
  });

  test.each([401, 429])('a key that gets %i rests, the next one serves, and no call fails', async (code) => {
    // Which key a conversation gets differs from run to run; this one is of the first.
    await status(`pooled-${code}`, 'Key 0');
    const [own] = one.takeKeys();
    one.answer = ({ key }) => (key === own ? { status: code, headers: { 'retry-after': '5' } } : null);
    const statuses = [];
    for (let i = 0; i < 12; i++) statuses.push(await status(`pooled-${code}`, `Key ${i}`));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(one.takeKeys().filter((key) => key === own)).toHaveLength(1);
    pass(code === 401 ? 61_000 : 6_000);
    one.answer = () => null;
    for (let i = 0; i < 12; i++) await status(`pooled-${code}`, `Key ${i}`);
    expect(one.takeKeys()).toContain(own);
  });

  test('the record of a call has the route and the number of the key of each attempt, never the key', async () => {
    await status('pooled-log');
    const [own = ''] = one.takeKeys();
    one.answer = ({ key }) => (key === own ? { status: 429, headers: { 'retry-after': '5' } } : null);
    const response = await ask('pooled-log');
    const tried = (await attemptsOf(response)) as Array<{ route: string; key: number; outcome: string }>;
    expect(tried).toMatchObject([
      { route: 'pooled-log/0', key: KEYS.indexOf(own) + 1, outcome: 'rate_limit_exceeded', status: 429 },
      { route: 'pooled-log/0', outcome: 'answered', status: 200 },
    ]);
    expect(tried[1]?.key).not.toBe(tried[0]?.key);
    expect(JSON.stringify(tried)).not.toContain('pool-key');
    const receipt = await fetch(`${gateway.url}/v1/receipts/${response.headers.get('x-request-id')}`, {
      headers: { authorization: `Bearer ${gateway.key}` },
    });
    expect(await receipt.text()).not.toContain('pooled-log/0');
  });

  test('a key of the pool that a provider repeats reaches neither the caller nor the log', async () => {
    one.answer = ({ key }) => ({ status: 400, body: { error: { message: `bad key ${key}` } } });
    expect(await (await ask('pooled-echo')).text()).not.toContain('pool-key');
    expect(gateway.logged.join('\n')).not.toContain('pool-key');
  });

  test.each<[string, string, Record<string, string> | (() => Record<string, string>)]>([
    ['OpenAI', 'both-1', { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '20s' }],
    [
      'OpenAI, tokens',
      'both-2',
      { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '0m20s' },
    ],
    [
      'Anthropic',
      'both-3',
      () => ({
        'anthropic-ratelimit-input-tokens-remaining': '0',
        'anthropic-ratelimit-input-tokens-reset': new Date(systemClock.now() + 20_000).toISOString(),
      }),
    ],
  ])('a route with nothing left of its limit is skipped until its reset: %s', async (_, model, headers) => {
    one.answer = () => ({ headers: typeof headers === 'function' ? headers() : headers });
    expect(await status(model)).toBe(200);
    expect(await status(model)).toBe(200);
    expect([one.takeKeys(), two.takeKeys()]).toEqual([['first'], ['second']]);
    pass(61_000);
    expect(await status(model)).toBe(200);
    expect(one.takeKeys()).toEqual(['first']);
  });

  test('if all routes rest, they are tried all the same', async () => {
    one.answer = () => ({
      headers: { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '20s' },
    });
    for (let i = 0; i < 3; i++) expect(await status('single')).toBe(200);
  });

  test('a provider that asks for a long wait is not asked again, and the caller gets its Retry-After', async () => {
    one.answer = () => ({ status: 429, headers: { 'retry-after': '30' } });
    const response = await ask('single-429');
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '30']);
    expect(one.takeKeys()).toHaveLength(1);
  });

  describe('concurrency_max', () => {
    /** Answers wait until they are released. */
    function hold(provider: LimitedProvider): Array<() => void> {
      const held: Array<() => void> = [];
      provider.answer = () => new Promise((resolve) => held.push(() => resolve(null)));
      return held;
    }

    test('further calls wait for the route and are served in turn', async () => {
      const held = hold(one);
      const calls = [status('narrow'), status('narrow')];
      await vi.waitFor(() => expect(held).toHaveLength(1), PATIENCE);
      held[0]?.();
      await vi.waitFor(() => expect(held).toHaveLength(2), PATIENCE);
      held[1]?.();
      expect(await Promise.all(calls)).toEqual([200, 200]);
    });

    test('if the queue is full or the wait too long, the call gets 429 with Retry-After', async () => {
      const held = hold(one);
      const first = status('narrow');
      await vi.waitFor(() => expect(held).toHaveLength(1), PATIENCE);
      const calls = [ask('narrow'), ask('narrow'), ask('narrow')];
      // The one that finds the queue full is answered at once. If the others stopped waiting before, it would find room.
      await Promise.race(calls);
      await endWaits(2);
      const responses = await Promise.all(calls);
      for (const response of responses) {
        expect([response.status, response.headers.get('retry-after')]).toEqual([429, '2']);
        expect(await response.text()).toContain('busy');
      }
      held[0]?.();
      expect(await first).toBe(200);
      expect(one.requests).toHaveLength(1);
      one.answer = () => null;
      expect(await status('narrow')).toBe(200);
    });

    test('another route serves instead, and the record says why', async () => {
      const held = hold(one);
      const first = status('narrow-both');
      await vi.waitFor(() => expect(held).toHaveLength(1), PATIENCE);
      const second = ask('narrow-both');
      await endWaits(1);
      const response = await second;
      expect(response.status).toBe(200);
      expect(await attemptsOf(response)).toMatchObject([
        { route: 'narrow-both/0', outcome: 'busy', status: null },
        { route: 'narrow-both/1', outcome: 'answered' },
      ]);
      held[0]?.();
      expect(await first).toBe(200);
    });

    test('a caller that disconnects frees its place', async () => {
      hold(one);
      const leaving = new AbortController();
      const body = JSON.stringify({ model: 'narrow', messages: [{ role: 'user', content: 'Hi' }] });
      const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' };
      const url = `${gateway.url}/v1/chat/completions`;
      const gone = fetch(url, { method: 'POST', body, headers, signal: leaving.signal }).catch(() => null);
      await vi.waitFor(() => expect(one.requests).toHaveLength(1), PATIENCE);
      leaving.abort();
      await gone;
      one.answer = () => null;
      await vi.waitFor(async () => expect(await status('narrow')).toBe(200), PATIENCE);
    });
  });

  test('least_busy: a call goes to the route with fewer calls', async () => {
    const held: Array<() => void> = [];
    const wait = (): Promise<null> => new Promise((resolve) => held.push(() => resolve(null)));
    one.answer = wait;
    two.answer = wait;
    const calls = Array.from({ length: 6 }, () => status('busy', 'The same conversation'));
    await vi.waitFor(() => expect(held).toHaveLength(6), PATIENCE);
    expect([one.requests.length, two.requests.length]).toEqual([3, 3]);
    for (const release of held) release();
    expect(new Set(await Promise.all(calls))).toEqual(new Set([200]));
  });

  test('lowest_latency: a route that answers more slowly is left after it was measured', async () => {
    one.answer = async () => {
      pass(200);
      return null;
    };
    for (let i = 0; i < 8; i++) await status('quick', `Quick ${i}`);
    expect(one.requests.length).toBe(1);
    expect(two.requests.length).toBe(7);
  });
});
