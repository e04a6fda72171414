/** Per-minute limits of requests and tokens, for keys and spaces. */
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { isoOf } from '../../src/kernel/time.ts';
import { minuteOf } from '../../src/rates/rate-window.ts';
import { openaiClient } from '../support/clients.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';
import { chatWith, newKey, rateHeadersOf, setRate, shiftToSecond } from '../support/rates-stage.ts';
import { shiftedClock } from '../support/shifted-clock.ts';

interface Refusal {
  readonly type: string;
  readonly detail: string;
  readonly error: { readonly code: string };
}

describe.each(engines)('per-minute rate limits on %s', (engine) => {
  let gateway: TestGateway;
  const clock = shiftedClock();
  beforeAll(async () => {
    gateway = await startGateway({ engine, clock });
  });
  afterAll(() => gateway.stop());
  beforeEach(() => shiftToSecond(clock, 10));

  const call = (key: string, more: Record<string, unknown> = {}): Promise<Response> =>
    chatWith(gateway.url, key, more);

  async function limitedKey(name: string, rate: Parameters<typeof setRate>[3]): Promise<string> {
    const key = await newKey(gateway, name);
    await setRate(gateway, 'keys', name, rate);
    return key;
  }

  async function refusal(reply: Response): Promise<Refusal> {
    expect(reply.status).toBe(429);
    return (await reply.json()) as Refusal;
  }

  test('a key may make as many requests as its limit, sees what remains, and is then rejected with all figures', async () => {
    const key = await limitedKey('three', { requests: 3 });
    for (const left of ['2', '1', '0']) {
      const reply = await call(key);
      expect(reply.status).toBe(200);
      const { 'reset-requests': reset, ...shown } = rateHeadersOf(reply);
      expect(shown).toEqual({ 'limit-requests': '3', 'remaining-requests': left });
      expect(reset).toMatch(/^(1m)?\d+(\.\d+)?s$/);
    }
    const sent = gateway.simulator.calls.length;
    const before = clock.now();
    const reply = await call(key);
    const body = await refusal(reply);
    expect(body.type).toBe('rate_limit_exceeded');
    expect(body.error.code).toBe('rate_limit_exceeded');
    expect(body.detail).toContain('limit of this key');
    expect(body.detail).toContain('3 of 3 requests per minute');
    expect(JSON.stringify(body)).not.toContain('resets_at');
    expect(reply.headers.get('x-should-retry')).toBe('true');
    const waitMs = Number(reply.headers.get('retry-after-ms'));
    expect(Number(reply.headers.get('retry-after'))).toBe(Math.ceil(waitMs / 1000));
    const resetsAt = Date.parse(/at (\S+Z)\.$/.exec(body.detail)?.[1] ?? '');
    expect(resetsAt - waitMs).toBeGreaterThanOrEqual(before);
    expect(resetsAt - waitMs).toBeLessThanOrEqual(clock.now());
    expect(rateHeadersOf(reply)).toMatchObject({ 'limit-requests': '3', 'remaining-requests': '0' });
    expect(gateway.simulator.calls.length).toBe(sent);

    const asked = { ref: reply.headers.get('x-request-id') ?? '' };
    const why = await vi.waitFor(() => gateway.admin('why', asked), PATIENCE);
    const facts = { limit: 'key_requests_per_minute', used: 3, cap: 3, resets_at: isoOf(resetsAt) };
    expect(why).toMatchObject({ refusal: { facts } });

    // Listing models and calls of another key still work.
    const models = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    expect(models.status).toBe(200);
    expect(rateHeadersOf(models)).toEqual({});
    expect((await call(gateway.key)).status).toBe(200);

    clock.shift(waitMs);
    expect((await call(key)).status).toBe(200);
    expect((await call(key)).status).toBe(429);
  });

  test('the previous minute still counts at the start of a minute', async () => {
    const key = await limitedKey('edge', { requests: 4 });
    shiftToSecond(clock, 59.5);
    for (let i = 0; i < 4; i++) expect((await call(key)).status).toBe(200);
    clock.shift(1_000);
    expect((await call(key)).status).toBe(429);
    // A quarter of the minute later a quarter of the cap is free again.
    clock.shift(15_000);
    expect((await call(key)).status).toBe(200);
    expect((await call(key)).status).toBe(429);
  });

  test('a stream has the headers too, and is rejected before it starts', async () => {
    const key = await limitedKey('streams', { requests: 1, tokens: 1_000 });
    const reply = await call(key, { stream: true });
    expect(reply.status).toBe(200);
    expect(await reply.text()).toContain('[DONE]');
    expect(rateHeadersOf(reply)).toMatchObject({
      'limit-requests': '1',
      'remaining-requests': '0',
      'limit-tokens': '1000',
      'remaining-tokens': '1000',
      'reset-tokens': '0s',
    });
    const refused = await call(key, { stream: true });
    expect((await refusal(refused)).detail).toContain('1 of 1 requests');
    expect(refused.headers.get('content-type')).toContain('application/json');
    expect(rateHeadersOf(refused)).toMatchObject({
      'remaining-requests': '0',
      'remaining-tokens': expect.any(String),
    });
  });

  test.each([
    ['/v1/responses', { input: 'Reply with exactly: one' }],
    ['/v1/messages', { messages: [{ role: 'user', content: 'Reply with exactly: one' }], max_tokens: 50 }],
  ])('%s is limited the same', async (path, body) => {
    const key = await limitedKey(`of ${path}`, { requests: 1 });
    const headers = { authorization: `Bearer ${key}`, 'vendor-version': '2023-06-01' };
    const post = (): Promise<Response> => gateway.post(path, { model: 'sim-chat', ...body }, headers);
    expect(rateHeadersOf(await post())).toMatchObject({ 'remaining-requests': '0' });
    expect((await refusal(await post())).type).toBe('rate_limit_exceeded');
  });

  test('tokens of prompt and answer count when a call is settled, streamed or not; then the key is rejected', async () => {
    const key = await limitedKey('tokens', { tokens: 60 });
    const first = await call(key);
    const { usage } = (await first.json()) as { usage: { total_tokens: number } };
    expect(usage.total_tokens).toBeGreaterThan(5);
    expect(rateHeadersOf(first)).toMatchObject({
      'limit-tokens': '60',
      'remaining-tokens': String(60 - usage.total_tokens),
    });
    let used = usage.total_tokens;
    for (; used < 60; used += usage.total_tokens) await (await call(key, { stream: true })).text();
    const reply = await call(key);
    const { detail } = await refusal(reply);
    expect(detail).toContain('limit of this key');
    expect(detail).toContain(`${used} of 60 tokens per minute`);
    expect(rateHeadersOf(reply)).toMatchObject({ 'remaining-tokens': '0' });
    clock.shift(Number(reply.headers.get('retry-after-ms')));
    expect((await call(key)).status).toBe(200);
  });

  test("a space's limit covers all its keys and stops no other space", async () => {
    await gateway.admin('spaces.create', { name: 'small', overage: true });
    const [one, two] = [await newKey(gateway, 'small-1', 'small'), await newKey(gateway, 'small-2', 'small')];
    await setRate(gateway, 'spaces', 'small', { requests: 2 });
    expect((await call(one)).status).toBe(200);
    expect((await call(two)).status).toBe(200);
    for (const key of [one, two]) {
      const { detail } = await refusal(await call(key));
      expect(detail).toContain('limit of this space');
      expect(detail).toContain('2 of 2 requests per minute');
    }
    expect((await call(gateway.key)).status).toBe(200);
  });

  test('of two limits the headers show the one with less remaining, and the error the one that resets last', async () => {
    await gateway.admin('spaces.create', { name: 'both', overage: true });
    const key = await newKey(gateway, 'both-1', 'both');
    await setRate(gateway, 'spaces', 'both', { requests: 10 });
    await setRate(gateway, 'keys', 'both-1', { requests: 2 });
    expect(rateHeadersOf(await call(key))).toMatchObject({
      'limit-requests': '2',
      'remaining-requests': '1',
    });
    await setRate(gateway, 'keys', 'both-1', { requests: 20 });
    expect(rateHeadersOf(await call(key))).toMatchObject({
      'limit-requests': '10',
      'remaining-requests': '8',
    });
    await setRate(gateway, 'keys', 'both-1', { requests: 1 });
    await setRate(gateway, 'spaces', 'both', { requests: 2 });
    const reply = await call(key);
    expect((await refusal(reply)).detail).toContain('limit of this key');
    clock.shift(Number(reply.headers.get('retry-after-ms')));
    expect((await call(key)).status).toBe(200);
  });

  test('without a limit there is no header, and a removed limit ends within about a second', async () => {
    expect(rateHeadersOf(await call(gateway.key))).toEqual({});
    const key = await limitedKey('freed', { requests: 1 });
    expect((await call(key)).status).toBe(200);
    expect((await call(key)).status).toBe(429);
    await gateway.query(sql`update keys set requests_per_minute = null where name = 'freed'`);
    await vi.waitFor(async () => expect((await call(key)).status).toBe(200), PATIENCE);
    expect(rateHeadersOf(await call(key))).toEqual({});
  });

  test('a process shares its counts with the others through the database', async () => {
    const key = await limitedKey('shared-counts', { requests: 2 });
    expect((await call(key)).status).toBe(200);
    const counted = async (): Promise<Array<{ requests: number }>> =>
      await gateway.query(sql`
        select requests from rate_counts where subject = (select id from keys where name = 'shared-counts')`);
    await vi.waitFor(async () => expect(await counted()).toEqual([{ requests: 1 }]), PATIENCE);
  });

  test('the OpenAI library waits for the time in the headers and then succeeds', async () => {
    const key = await limitedKey('sdk', { requests: 10_000 });
    // A minute in which another process used up the limit.
    shiftToSecond(clock, 50);
    await gateway.query(sql`
      insert into rate_counts (subject, minute, process, requests, tokens)
      select id, ${minuteOf(clock.now())}, 'another', 10000, 0 from keys where name = 'sdk'`);
    await vi.waitFor(async () => expect((await call(key)).status).toBe(429), PATIENCE);
    const statuses: number[] = [];
    const openai = openaiClient(
      { url: gateway.url, key },
      {
        maxRetries: 1,
        fetch: async (address, init) => {
          const reply = await fetch(address, init);
          statuses.push(reply.status);
          return reply;
        },
      },
    );
    clock.shift(59_500 - (clock.now() % 60_000));
    const answer = await openai.chat.completions.create({
      model: 'sim-chat',
      messages: [{ role: 'user', content: 'Reply with exactly: It works' }],
    });
    expect(answer.choices[0]?.message.content).toBe('It works');
    expect(statuses).toEqual([429, 200]);
  });

  test('one of two limits can be changed without the other, and zero is rejected', async () => {
    const key = await limitedKey('changed', { requests: 5, tokens: 500 });
    const rate = { name: 'changed', space: 'acme' };
    await gateway.admin('keys.rate', { ...rate, requests_per_minute: 7 });
    expect(rateHeadersOf(await call(key))).toMatchObject({ 'limit-requests': '7', 'limit-tokens': '500' });
    await gateway.admin('keys.rate', { ...rate, tokens_per_minute: null });
    expect(rateHeadersOf(await call(key))).not.toHaveProperty('limit-tokens');
    await expect(gateway.admin('keys.rate', { ...rate, requests_per_minute: 0 })).rejects.toThrow(
      'requests_per_minute 0 is not valid: it must be a whole number from 1 to 2000000000, or null for no limit.',
    );
    await expect(gateway.admin('keys.rate', rate)).rejects.toThrow(/set requests_per_minute/);
  });

  test('any process deletes old counts', async () => {
    await gateway.query(sql`
      insert into rate_counts (subject, minute, process, requests, tokens) values ('key_gone', 5, 'gone', 1, 1)`);
    const key = await limitedKey('passes', { requests: 5 });
    await call(key);
    const old = async (): Promise<unknown[]> =>
      await gateway.query(sql`select 1 as one from rate_counts where minute = 5`);
    await vi.waitFor(async () => expect(await old()).toEqual([]), PATIENCE);
  });
});
