/** Limits that reject a call before it is sent: the units of the space, the monthly limits of a key and a member. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { monthOf, nextMonth, printMonthStart, systemClock } from '../../src/kernel/time.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';

const words = [{ role: 'user', content: 'Reply with exactly: one two three' }];

describe.each(engines)('limits on %s', (engine) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ engine });
    await gateway.admin('members.add', { space: 'acme', email: 'ann@example.com', role: 'member' });
  });
  afterAll(() => gateway.stop());

  async function keyOf(name: string, args: Record<string, string> = {}): Promise<string> {
    const made = await gateway.admin('keys.create', {
      name,
      space: 'acme',
      kind: 'shared',
      ...args,
    });
    return made.key;
  }

  function call(key: string, streams = false): Promise<Response> {
    const body = { model: 'sim-chat', messages: words, ...(streams && { stream: true }) };
    return gateway.chat(body, { authorization: `Bearer ${key}` });
  }

  async function cost(key: string): Promise<string> {
    const reply = await call(key);
    expect(reply.status).toBe(200);
    return ((await reply.json()) as { estimated_cost: { amount: string } }).estimated_cost.amount;
  }

  function models(key: string): Promise<Response> {
    return fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
  }

  test('a key is rejected once its limit is reached, and the error has all figures', async () => {
    const key = await keyOf('limited');
    const each = await cost(key);
    await gateway.admin('keys.limit', { space: 'acme', name: 'limited', month_limit: each });
    const sent = gateway.simulator.calls.length;
    const refused = await call(key);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('x-should-retry')).toBe('false');
    const body = (await refused.json()) as { type: string; detail: string };
    expect(body.type).toBe('policy_limit_exceeded');
    const reset = printMonthStart(nextMonth(monthOf(systemClock.now())));
    for (const said of ['limit of this key', `${each} of ${each} units`, reset])
      expect(body.detail).toContain(said);
    expect((await call(key, true)).status).toBe(429);
    expect(gateway.simulator.calls.length).toBe(sent);
    expect((await models(key)).status).toBe(200);

    await gateway.admin('keys.limit', { space: 'acme', name: 'limited', month_limit: null });
    expect((await call(key)).status).toBe(200);
  });

  test('charges of this process count immediately, before the next refresh', async () => {
    const key = await keyOf('small');
    const each = await cost(key);
    await gateway.admin('keys.limit', {
      space: 'acme',
      name: 'small',
      month_limit: String(Number(each) * 2.5),
    });
    expect((await call(key)).status).toBe(200);
    expect((await call(key)).status).toBe(200);
    expect((await call(key)).status).toBe(429);
  });

  test("a member's limit covers all their keys, and stops no other member", async () => {
    const [one, two] = [
      await keyOf('anns-1', { kind: 'personal', email: 'ann@example.com' }),
      await keyOf('anns-2', { kind: 'personal', email: 'ann@example.com' }),
    ];
    const each = await cost(one);
    await gateway.admin('members.limit', { space: 'acme', email: 'ann@example.com', month_limit: each });
    const refused = await call(two);
    expect(refused.status).toBe(429);
    expect(((await refused.json()) as { detail: string }).detail).toContain('limit of this member');
    expect((await call(gateway.key)).status).toBe(200);
  });

  test('spending of another month does not count', async () => {
    const key = await keyOf('old');
    const [row] = await gateway.query<{ id: string; space_id: string }>(
      sql`select id, space_id from keys where name = 'old'`,
    );
    await gateway.query(sql`
      insert into month_parts (space_id, month, key_id, model, requests, unpriced, cost)
      values (${row?.space_id ?? ''}, '2020-01', ${row?.id ?? ''}, 'sim-chat', 1, 0, 500)`);
    await gateway.admin('keys.limit', { space: 'acme', name: 'old', month_limit: '1' });
    expect((await call(key)).status).toBe(200);
  });

  test('a space without units and overage gets 402, and may call again after units are added', async () => {
    await gateway.admin('spaces.create', { name: 'poor' });
    const key = await keyOf('poor', { space: 'poor' });
    const refused = await call(key);
    expect(refused.status).toBe(402);
    expect(await refused.json()).toMatchObject({ type: 'insufficient_units' });
    expect(refused.headers.get('x-should-retry')).toBe('false');
    expect((await models(key)).status).toBe(200);
    await gateway.admin('grants.add', { space: 'poor', amount: '0.000000000001', kind: 'paid' });
    expect((await call(key)).status).toBe(200);
    // That call took the last units.
    await vi.waitFor(async () => expect((await call(key)).status).toBe(402), PATIENCE);
  });

  test('an operator blocks and unblocks a space with immediate effect', async () => {
    await gateway.admin('spaces.create', { name: 'naughty', overage: true });
    const key = await keyOf('naughty', { space: 'naughty' });
    expect((await call(key)).status).toBe(200);
    await gateway.admin('spaces.block', { space: 'naughty', blocked: true });
    expect((await call(key)).status).toBe(402);
    await gateway.admin('spaces.block', { space: 'naughty', blocked: false });
    expect((await call(key)).status).toBe(200);
  });
});
