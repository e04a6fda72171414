/** The life of a key: made, rotated, limited, restricted, disabled, expired; and what it spent stays its own. */

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { InputOf } from '../../src/contract/administration/admin-endpoints.ts';
import type { ModelList } from '../../src/contract/models.ts';
import type { UsageRecord } from '../../src/contract/platform.ts';
import { sql } from '../../src/database/sql.ts';
import { HOUR_MS } from '../../src/kernel/durations.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { parseUnits, printUnits, sumUnits } from '../../src/kernel/units.ts';
import { type Expected, expectRefusal, refusalOf } from '../bad-input/bad-input-client.ts';
import { type BesideGateway, startBeside } from '../support/beside.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';
import { runCli } from '../support/run-cli.ts';

const OTHER_PROCESS_MS_MAX = 2_000;
const expired: Expected = { status: 401, type: 'api_key_expired', detail: /expir/ };
const invalid = (detail: RegExp): Expected => ({ status: 401, type: 'invalid_credentials', detail });

interface Made {
  readonly key: string;
  readonly former_until: string;
}

describe.each(engines)('the life of a key on %s', (engine) => {
  let gateway: TestGateway;
  let beside: BesideGateway | null = null;
  let management: string;
  beforeAll(async () => {
    gateway = await startGateway({ engine });
    if (engine === 'postgres') beside = await startBeside(gateway);
    management = await make('reports', { kind: 'management' });
  });
  afterAll(async () => {
    await beside?.stop();
    await gateway.stop();
  });

  async function make(name: string, input: Partial<InputOf<'keys.create'>> = {}): Promise<string> {
    return (await gateway.admin('keys.create', { name, kind: 'shared', ...input })).key;
  }

  function rotate(name: string, graceHours?: number): Promise<Made> {
    return gateway.admin('keys.rotate', { name, grace_hours: graceHours });
  }

  function call(key: string, { model = 'sim-chat', url = gateway.url } = {}): Promise<Response> {
    return fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Reply with exactly: one two' }] }),
    });
  }

  async function cost(key: string): Promise<string> {
    const reply = await call(key);
    expect(reply.status).toBe(200);
    return ((await reply.json()) as { estimated_cost: { amount: string } }).estimated_cost.amount;
  }

  function get(path: string, key: string): Promise<Response> {
    return fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
  }

  async function listed(key: string): Promise<string[]> {
    return ((await (await get('/v1/models', key)).json()) as ModelList).data.map(({ id }) => id);
  }

  async function usageOf(name: string): Promise<UsageRecord['costsByVirtualKey']> {
    const report = (await (await get('/v1/usage', management)).json()) as UsageRecord;
    return report.costsByVirtualKey.filter(({ virtualKeyName }) => virtualKeyName === name);
  }

  describe('rotation', () => {
    test('both secrets work during the grace period; then the old one has expired', async () => {
      const former = await make('rotated');
      const made = await rotate('rotated', 2);
      expect(made.key).not.toBe(former);
      expect(Date.parse(made.former_until) - systemClock.now()).toBeGreaterThan(1.9 * HOUR_MS);
      expect(Date.parse(made.former_until) - systemClock.now()).toBeLessThanOrEqual(2 * HOUR_MS);
      for (const key of [former, made.key]) expect((await call(key)).status).toBe(200);
      await gateway.query(
        sql`update keys set former_until = now() - interval '1 second' where name = 'rotated'`,
      );
      await vi.waitFor(async () => expectRefusal(await refusalOf(await call(former)), expired), PATIENCE);
      expect((await call(made.key)).status).toBe(200);
    });

    test('the old secret stops working when the key expires', async () => {
      const former = await make('short');
      const { key } = await rotate('short', 24);
      await gateway.admin('keys.expire', { name: 'short', expires: 'now' });
      for (const text of [former, key]) expectRefusal(await refusalOf(await call(text)), expired);
    });

    test('a new secret keeps the spending of the key: one key in the report, and its limit stays reached', async () => {
      const former = await make('spender');
      const costs = [await cost(former)];
      const { key } = await rotate('spender');
      costs.push(await cost(key), await cost(former));
      const sum = printUnits(sumUnits(costs.map(parseUnits)));
      expect(await usageOf('spender')).toEqual([
        { virtualKeyName: 'spender', creatorNickname: null, cost: sum, requestCount: 3 },
      ]);
      await gateway.admin('keys.limit', { name: 'spender', month_limit: sum });
      expect((await call(key)).status).toBe(429);
      const again = await rotate('spender');
      for (const text of [key, again.key]) {
        const refused = await refusalOf(await call(text));
        expectRefusal(refused, { status: 429, type: 'policy_limit_exceeded', detail: /limit of this key/ });
        expect(refused.body.detail).toContain(`${sum} of ${sum} units`);
      }
    });

    test('a second rotation ends the oldest secret at once', async () => {
      const first = await make('twice');
      const second = (await rotate('twice')).key;
      const third = (await rotate('twice')).key;
      expectRefusal(await refusalOf(await call(first)), invalid(/key is unknown or was revoked/));
      for (const key of [second, third]) expect((await call(key)).status).toBe(200);
    });

    test('without a grace period the old secret is rejected by the next call', async () => {
      const former = await make('hasty');
      expect((await call(former)).status).toBe(200);
      const { key } = await rotate('hasty', 0);
      expectRefusal(await refusalOf(await call(former)), expired);
      expect((await call(key)).status).toBe(200);
    });

    test.each([-1, 721, 1.5, '24'])('a grace of %j hours is rejected, and changes nothing', async (hours) => {
      await expect(rotate('rotated', hours as number)).rejects.toThrow(
        `grace_hours ${JSON.stringify(hours)} is not valid: it must be a whole number of hours from 0 to 720`,
      );
    });
  });

  test('a disabled key is rejected with its reason until it is enabled again', async () => {
    const key = await make('switched');
    expect((await call(key)).status).toBe(200);
    await gateway.admin('keys.disable', { name: 'switched' });
    const disabled = invalid(/key is disabled.*administrator/);
    expectRefusal(await refusalOf(await call(key)), disabled);
    expectRefusal(await refusalOf(await get('/v1/models', key)), disabled);
    await gateway.admin('keys.enable', { name: 'switched' });
    expect((await call(key)).status).toBe(200);
    expect(await usageOf('switched')).toMatchObject([{ requestCount: 2 }]);
  });

  test('a key expires at the given time, or now, and its time can be extended', async () => {
    const key = await make('dated');
    const at = (date: string) => gateway.admin('keys.expire', { name: 'dated', expires: date });
    const later = '2999-01-01T23:59:59+09:00';
    expect(await at('2999-01-01T14:59:59Z')).toMatchObject({ expires_at: later });
    expect((await call(key)).status).toBe(200);
    await expect(at('2001-01-01T00:00:00Z')).rejects.toThrow('2001-01-01T00:00:00Z is in the past');
    for (const wrong of ['soon', '2999-01-01', '2999-02-30T00:00:00Z', '2999-01-01T00:00:00'])
      await expect(at(wrong)).rejects.toThrow(
        `expires "${wrong}" is not valid: it must be a time with its zone`,
      );
    expect((await call(key)).status).toBe(200);
    await at('now');
    expectRefusal(await refusalOf(await call(key)), expired);
    await at(later);
    expect((await call(key)).status).toBe(200);
  });

  test('a key with a list of models sees and calls only these, until the list is removed', async () => {
    const key = await make('narrow');
    const allow = (models: string[] | null) => gateway.admin('keys.models', { name: 'narrow', models });
    await allow(['sim-chat', 'sim-chat-classic']);
    expect(await listed(key)).toEqual(['sim-chat', 'sim-chat-classic']);
    expect((await call(key, { model: 'sim-chat-classic' })).status).toBe(200);
    const asked = gateway.simulator.calls.length;
    const refused = await refusalOf(await call(key, { model: 'sim-text-only' }));
    const words = /may not use the model sim-text-only\. It may use: sim-chat, sim-chat-classic\./;
    expectRefusal(refused, { status: 404, type: 'model_not_found', detail: words, param: 'model' });
    expect(gateway.simulator.calls.length).toBe(asked);
    // The error for an unknown model does not reveal models that the key may not use.
    const unknown = await refusalOf(await call(key, { model: 'sim-text-onl' }));
    expect(unknown.body.detail).not.toContain('sim-text-only');
    await allow(null);
    expect(await listed(key)).toEqual(await listed(gateway.key));
    expect((await call(key, { model: 'sim-text-only' })).status).toBe(200);
    await expect(allow(['sim-chat', '', 'x'])).rejects.toThrow(
      /models .* it must be a list of 1 to 100 model codes/,
    );
  });

  test('neither secret of a personal key works once its member is removed', async () => {
    const email = 'kim@acme.test';
    await gateway.admin('members.add', { email, role: 'member' });
    const former = await make('kim', { kind: 'personal', email });
    const { key } = await rotate('kim');
    for (const text of [former, key]) expect((await call(text)).status).toBe(200);
    await gateway.admin('members.remove', { email });
    for (const text of [former, key])
      expectRefusal(await refusalOf(await call(text)), invalid(/key is unknown or was revoked/));
  });

  test('usage names the creator of a shared key, also after they were removed', async () => {
    const email = 'lee@acme.test';
    await gateway.admin('members.add', { email, nickname: 'Lee', role: 'admin' });
    await cost(await make('lees', { creator: email }));
    expect(await usageOf('lees')).toMatchObject([{ creatorNickname: 'Lee', requestCount: 1 }]);
    await gateway.admin('members.remove', { email });
    expect(await usageOf('lees')).toMatchObject([{ creatorNickname: 'Lee' }]);
    expect((await usageOf('test')).every(({ creatorNickname }) => creatorNickname === null)).toBe(true);
  });

  const ends: Array<[string, number, string, (name: string) => Promise<unknown>]> = [
    ['revoked', 401, 'invalid_credentials', (name) => gateway.admin('keys.revoke', { name })],
    ['disabled', 401, 'invalid_credentials', (name) => gateway.admin('keys.disable', { name })],
    ['expired', 401, 'api_key_expired', (name) => gateway.admin('keys.expire', { name, expires: 'now' })],
    ['rotated without a grace period', 401, 'api_key_expired', (name) => rotate(name, 0)],
    [
      'restricted to another model',
      404,
      'model_not_found',
      (name) => gateway.admin('keys.models', { name, models: ['sim-text-only'] }),
    ],
  ];
  test.each(ends)(
    'a key that was %s is rejected at once here, and by every other process within about a second',
    async (how, status, type, end) => {
      const name = `ends ${how}`;
      const key = await make(name);
      const urls = [gateway.url, ...(beside === null ? [] : [beside.url])];
      for (const url of urls) expect((await call(key, { url })).status).toBe(200);
      await end(name);
      const endedMs = performance.now();
      expectRefusal(await refusalOf(await call(key)), { status, type, detail: /./ });
      for (const url of urls.slice(1)) {
        let reply = await call(key, { url });
        while (reply.status === 200 && performance.now() - endedMs < OTHER_PROCESS_MS_MAX)
          reply = await call(key, { url });
        expectRefusal(await refusalOf(reply), { status, type, detail: /./ });
      }
    },
  );
});

test('an operator can do all of it on the command line', async () => {
  const gateway = await startGateway();
  try {
    const run = async (...args: string[]): Promise<Record<string, string>> => {
      const place = ['--data', gateway.folder, '--config', gateway.configFile, '--json'];
      const ran = await runCli(['keys', ...args, ...place]);
      expect(ran, args.join(' ')).toMatchObject({ code: 0, stderr: '' });
      return JSON.parse(ran.stdout);
    };
    const status = async (key = ''): Promise<number> =>
      (await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status;
    const { key } = await run('rotate', 'test', '--grace', '0', '--days', '7');
    expect([await status(gateway.key), await status(key)]).toEqual([401, 200]);
    const [limited, narrowed] = await Promise.all([
      run('limit', 'test', '2.5'),
      run('models', 'test', 'sim-chat,unpriced'),
    ]);
    expect(limited).toMatchObject({ name: 'test', month_limit: '2.5' });
    expect(narrowed).toMatchObject({ name: 'test', models: ['sim-chat', 'unpriced'] });
    expect(await run('disable', 'test')).toMatchObject({ disabled: true });
    expect(await status(key)).toBe(401);
    expect(await run('enable', 'test')).toMatchObject({ disabled: false });
    expect(await status(key)).toBe(200);
    await run('expire', 'test', 'now');
    expect(await status(key)).toBe(401);
  } finally {
    await gateway.stop();
  }
});
