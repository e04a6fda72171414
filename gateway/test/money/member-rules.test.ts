/** What an administrator sets on a member holds for all their keys, also for new and rotated ones. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS } from '../../src/kernel/durations.ts';
import { kstOf } from '../../src/kernel/time.ts';
import { AdminClient } from '../support/admin-client.ts';
import { BatchStage, chatLine } from '../support/batches-stage.ts';
import { testConfig, withBatches } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { shiftToSecond } from '../support/rates-stage.ts';
import { shiftedClock } from '../support/shifted-clock.ts';

const acme = { space: 'acme' };

interface Refusal {
  readonly type: string;
  readonly detail: string;
}

describe.each(engines)('rules of a member on %s', (engine) => {
  const clock = shiftedClock();
  let gateway: TestGateway;
  let people = 0;
  let email: string;
  /** The member, signed in to the console. */
  let ann: AdminClient;
  /** A key that the member has before any rule is set. */
  let first: string;

  beforeAll(async () => {
    gateway = await startGateway({ engine, clock, config: withBatches(testConfig()) });
  });
  afterAll(() => gateway.stop());
  beforeEach(async () => {
    email = `ann${++people}@example.com`;
    await gateway.admin('members.add', { ...acme, email, role: 'member' });
    const { code } = await gateway.admin('people.link', { email });
    const entered = await fetch(`${gateway.url}/api/console/session/link`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code, keep: 'token' }),
    });
    ann = new AdminClient(gateway, ((await entered.json()) as { token: string }).token);
    first = await created('first');
  });

  const keyName = (name: string): string => `${name}-${people}`;

  async function created(name: string): Promise<string> {
    const { status, body } = await ann.call('keys.create', {
      ...acme,
      name: keyName(name),
      kind: 'personal',
    });
    expect([status, body.detail]).toEqual([200, undefined]);
    return body.key;
  }
  const rotate = (name: string, days?: number) =>
    ann.call('keys.rotate', { ...acme, name: keyName(name), grace_hours: 1, ...(days && { days }) });

  const call = (key: string, model = 'sim-chat'): Promise<Response> =>
    gateway.chat(
      { model, messages: [{ role: 'user', content: 'Reply with exactly: one' }] },
      { authorization: `Bearer ${key}` },
    );
  const statusOf = async (key: string, model?: string): Promise<number> => (await call(key, model)).status;
  const refusal = async (key: string, model?: string): Promise<Refusal> =>
    (await (await call(key, model)).json()) as Refusal;
  const get = async (path: string, key: string) => {
    const reply = await fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
    // biome-ignore lint/suspicious/noExplicitAny: what is in it is what the tests look at
    return (await reply.json()) as any;
  };

  test('models: no key of the member calls another one, lists it, or submits a batch for it', async () => {
    const file = await new BatchStage(gateway, first).upload([chatLine('a', 'Reply with exactly: one')]);
    await gateway.admin('members.models', { ...acme, email, models: ['sim-chat-classic', 'sim-text-only'] });
    const second = await created('second');
    const rotated = (await rotate('first')).body.key as string;
    for (const key of [first, second, rotated]) {
      expect(await statusOf(key, 'sim-chat-classic')).toBe(200);
      const { type, detail } = await refusal(key);
      expect([type, detail]).toEqual(['model_not_found', expect.stringContaining('sim-chat-classic')]);
      const { data } = await get('/v1/models', key);
      expect(data.map(({ id }: { id: string }) => id).toSorted()).toEqual([
        'sim-chat-classic',
        'sim-text-only',
      ]);
      expect((await get('/v1/models/sim-chat', key)).type).toBe('model_not_found');
      const submitted = await new BatchStage(gateway, key).submit({ input_file_id: file });
      expect(submitted.status).toBe(400);
    }
    // A rule of the key narrows it further, and neither widens the other.
    await gateway.admin('keys.models', {
      ...{ ...acme, name: keyName('second'), models: ['sim-text-only', 'sim-chat'] },
    });
    expect(await statusOf(second, 'sim-text-only')).toBe(200);
    for (const model of ['sim-chat', 'sim-chat-classic']) expect(await statusOf(second, model)).toBe(404);
    expect((await get('/v1/key', second)).models).toEqual(['sim-text-only']);
    await gateway.admin('members.models', { ...acme, email, models: null });
    expect(await statusOf(first)).toBe(200);
  });

  test('a misspelt model is rejected, and an unknown member is not found', async () => {
    await expect(gateway.admin('members.models', { ...acme, email, models: ['sim-chatt'] })).rejects.toThrow(
      'Did you mean sim-chat?',
    );
    await expect(
      gateway.admin('members.expire', { ...acme, email: 'nobody@example.com', expires: 'now' }),
    ).rejects.toThrow('is not a member of acme');
    await expect(
      gateway.admin('members.expire', { ...acme, email, expires: '2001-01-01T00:00:00Z' }),
    ).rejects.toThrow('is in the past');
  });

  test('an end: every key stops, also one that is created or rotated afterwards, until an administrator lifts it', async () => {
    await gateway.admin('members.expire', { ...acme, email, expires: 'now' });
    const second = await created('second');
    const rotated = (await rotate('first')).body.key as string;
    for (const key of [first, second, rotated]) {
      const { type, detail } = await refusal(key);
      expect([type, detail]).toEqual(['api_key_expired', expect.stringContaining('Ask an administrator')]);
    }
    const { data } = await gateway.admin('keys.list', { ...acme, email });
    expect(data.map(({ state }) => state)).toEqual(['expired', 'expired']);
    await gateway.admin('members.expire', { ...acme, email, expires: '2999-01-01T00:00:00+09:00' });
    expect(await statusOf(second)).toBe(200);
    await gateway.admin('members.expire', { ...acme, email, expires: null });
    expect(await statusOf(rotated)).toBe(200);
  });

  test('rates: the keys of the member share them', async () => {
    const second = await created('second');
    shiftToSecond(clock, 10);
    await gateway.admin('members.rate', { ...acme, email, requests_per_minute: 3, tokens_per_minute: null });
    const statuses = [];
    for (const key of [first, second, first, second]) statuses.push(await statusOf(key));
    expect(statuses).toEqual([200, 200, 200, 429]);
    const third = await created('third');
    const reply = await call(third);
    expect([reply.status, reply.headers.get('x-ratelimit-limit-requests')]).toEqual([429, '3']);
    expect(((await reply.json()) as Refusal).detail).toContain('The rate limit of this member is reached');
    expect(await get('/v1/key', third)).toMatchObject({
      requests_per_minute: null,
      member: { email, requests_per_minute: 3, tokens_per_minute: null, expires_at: null },
    });
    await gateway.admin('members.rate', { ...acme, email, requests_per_minute: null });
    expect(await statusOf(third)).toBe(200);
  });

  test('they are listed, and audited field by field', async () => {
    await gateway.admin('members.models', { ...acme, email, models: ['sim-chat'] });
    await gateway.admin('members.rate', { ...acme, email, tokens_per_minute: 900 });
    const expires = '2999-01-01T00:00:00+09:00';
    const changed = await gateway.admin('members.expire', { ...acme, email, expires });
    const rules = {
      models: ['sim-chat'],
      requests_per_minute: null,
      tokens_per_minute: 900,
      expires_at: expires,
    };
    expect(changed).toMatchObject({ email, month_limit: null, ...rules });
    const { data } = await gateway.admin('members.list', { ...acme, search: email });
    expect(data).toMatchObject([{ email, ...rules }]);
    const lines = (await gateway.admin('audit.list', { ...acme, limit: 3 })).data;
    expect(lines.map(({ action, before, after }) => [action, before, after])).toEqual([
      ['members.expire', { expires_at: null }, { expires_at: expires }],
      ['members.rate', { tokens_per_minute: null }, { tokens_per_minute: 900 }],
      ['members.models', { models: null }, { models: ['sim-chat'] }],
    ]);
    for (const [name, rule] of [
      ['members.models', { models: null }],
      ['members.rate', { tokens_per_minute: null }],
      ['members.expire', { expires: null }],
    ] as const)
      expect((await ann.call(name, { ...acme, email, ...rule })).status).toBe(403);
  });

  describe('what an administrator set on a key', () => {
    test('stays expired, whatever its owner does', async () => {
      await gateway.admin('keys.expire', { ...acme, name: keyName('first'), expires: 'now' });
      const { status, body } = await rotate('first', 3_650);
      expect([status, body.type]).toEqual([403, 'permission_denied']);
      expect(body.detail).toContain('Ask an administrator of acme');
      expect(await statusOf(first)).toBe(401);
      for (const name of ['keys.expire', 'keys.enable', 'keys.limit', 'keys.models', 'keys.rate'] as const)
        expect((await ann.call(name, { ...acme, name: keyName('first') })).status).not.toBe(200);
      // An administrator may: the key gets a new life.
      const again = await gateway.admin('keys.rotate', { ...acme, name: keyName('first') });
      expect(await statusOf(again.key)).toBe(200);
      expect((await gateway.admin('keys.get', { ...acme, name: keyName('first') })).ends_at).toBeNull();
    });

    test('ends when it should, however often its owner rotates it', async () => {
      const end = '2999-01-01T00:00:00+09:00';
      const name = keyName('first');
      await gateway.admin('keys.expire', { ...acme, name, expires: end });
      expect((await rotate('first', 10)).body.expires_at < end).toBe(true);
      const week = kstOf(clock.now() + 7 * DAY_MS);
      await gateway.admin('keys.expire', { ...acme, name, expires: week });
      const { body } = await rotate('first', 3_650);
      expect(Date.parse(body.expires_at)).toBe(Date.parse(week));
      expect(await gateway.admin('keys.get', { ...acme, name })).toMatchObject({
        expires_at: body.expires_at,
        ends_at: body.expires_at,
      });
      // Without such an end, a rotation gives the secret the life that its owner asks for.
      await created('free');
      const free = await rotate('free', 3_650);
      expect(Date.parse(free.body.expires_at)).toBeGreaterThan(clock.now() + 3_600 * DAY_MS);
    });

    test('a disabled key stays disabled, and a limited one limited, when it is rotated', async () => {
      await gateway.admin('keys.disable', { ...acme, name: keyName('first') });
      const rotated = (await rotate('first')).body.key as string;
      expect((await refusal(rotated)).detail).toContain('The key is disabled');
      await gateway.admin('keys.enable', { ...acme, name: keyName('first') });
      await gateway.admin('keys.models', { ...acme, name: keyName('first'), models: ['sim-text-only'] });
      const again = (await rotate('first')).body.key as string;
      expect(await statusOf(again)).toBe(404);
    });
  });
});
