/** The platform management API: usage and balance, to the last digit, for the right key only. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { InputOf } from '../../src/contract/administration/admin-endpoints.ts';
import { Shape } from '../../src/contract/check-shape.ts';
import { ValidationErrorBody } from '../../src/contract/error-body.ts';
import { BalanceRecord, UsageRecord } from '../../src/contract/platform.ts';
import { sql } from '../../src/database/sql.ts';
import { monthOf, systemClock } from '../../src/kernel/time.ts';
import { parseUnits, sumUnits } from '../../src/kernel/units.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const usageShape = new Shape(UsageRecord);
const balanceShape = new Shape(BalanceRecord);
const zero = { totalCostUsage: '0', totalRequestCount: 0, activeVirtualKeyCount: 0 };

describe.each(engines)('the platform API on %s', (engine) => {
  let gateway: TestGateway;
  let managementKey: string;
  beforeAll(async () => {
    gateway = await startGateway({ engine });
    managementKey = (await makeKey('reports', { kind: 'management' })).key;
  });
  afterAll(() => gateway.stop());

  function makeKey(name: string, input: Omit<InputOf<'keys.create'>, 'name'>): Promise<{ key: string }> {
    return gateway.admin('keys.create', { name, space: 'acme', ...input });
  }

  function get(path: string, key: string | null = managementKey): Promise<Response> {
    return fetch(
      `${gateway.url}${path}`,
      key === null ? {} : { headers: { authorization: `Bearer ${key}` } },
    );
  }

  async function usage(query = ''): Promise<UsageRecord> {
    const reply = await get(`/v1/usage${query}`);
    expect(reply.status).toBe(200);
    return usageShape.check(await reply.json());
  }

  async function balance(key = managementKey): Promise<BalanceRecord> {
    return balanceShape.check(await (await get('/v1/balance', key)).json());
  }

  async function chat(model: string, words: string, key = gateway.key): Promise<string> {
    const body = { model, messages: [{ role: 'user', content: `Reply with exactly: ${words}` }] };
    const reply = await gateway.chat(body, { authorization: `Bearer ${key}` });
    expect(reply.status).toBe(200);
    return ((await reply.json()) as { estimated_cost: { amount: string } }).estimated_cost.amount;
  }

  test('usage by model and by key adds up to the total and to the costs in the replies, to the last digit', async () => {
    await gateway.admin('members.add', {
      space: 'acme',
      email: 'ann@example.com',
      nickname: 'Ann',
      role: 'member',
    });
    const personal = (await makeKey('anns', { kind: 'personal', email: 'ann@example.com' })).key;
    const costs = [
      await chat('sim-chat', 'one'),
      await chat('sim-chat', 'two, with a few more words'),
      await chat('sim-chat-classic', 'three'),
      await chat('sim-chat-classic', 'four', personal),
    ];
    const report = await usage();
    const total = sumUnits(costs.map(parseUnits));
    expect(parseUnits(report.totalCostUsage)).toBe(total);
    expect(sumUnits(report.costsByModel.map(({ cost }) => parseUnits(cost)))).toBe(total);
    expect(sumUnits(report.costsByVirtualKey.map(({ cost }) => parseUnits(cost)))).toBe(total);
    expect(report).toMatchObject({ totalRequestCount: 4, activeVirtualKeyCount: 2 });
    expect(report.costsByModel.map(({ model, requestCount }) => [model, requestCount])).toEqual(
      expect.arrayContaining([
        ['sim-chat', 2],
        ['sim-chat-classic', 2],
      ]),
    );
    expect(report.costsByVirtualKey).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ virtualKeyName: 'anns', creatorNickname: 'Ann', requestCount: 1 }),
        expect.objectContaining({ virtualKeyName: 'test', creatorNickname: null, requestCount: 3 }),
      ]),
    );
    const held = await balance();
    expect(parseUnits('1000') - parseUnits(held.held.total)).toBe(total);
    expect(held).toMatchObject({ overage: { accrued: '0', allowed: true }, blocked: false });
  });

  test('the default is the current calendar month (KST), from midnight to midnight', async () => {
    const month = monthOf(systemClock.now());
    const report = await usage();
    expect(await usage(`?month=${month}`)).toEqual(report);
    expect(report.periodStart).toBe(`${month}-01T00:00:00+09:00`);
    expect(Date.parse(report.periodEnd)).toBeGreaterThan(systemClock.now());
    expect(report.periodEnd).toMatch(/^\d{4}-\d{2}-01T00:00:00\+09:00$/);
  });

  test('a future month is all zeros, and a past month has its usage', async () => {
    expect(await usage('?month=2999-12')).toMatchObject({ ...zero, costsByModel: [], costsByVirtualKey: [] });
    const [key] = await gateway.query<{ id: string; space_id: string }>(
      sql`select id, space_id from keys where name = 'test'`,
    );
    await gateway.query(sql`
      insert into month_parts (space_id, month, key_id, model, requests, unpriced, cost)
      values (${key?.space_id ?? ''}, '2020-02', ${key?.id ?? ''}, 'gone-model', 7, 0, 0.000000000001)`);
    expect(await usage('?month=2020-02')).toEqual({
      periodStart: '2020-02-01T00:00:00+09:00',
      periodEnd: '2020-03-01T00:00:00+09:00',
      totalCostUsage: '0.000000000001',
      totalRequestCount: 7,
      activeVirtualKeyCount: 1,
      costsByModel: [{ model: 'gone-model', cost: '0.000000000001', requestCount: 7 }],
      costsByVirtualKey: [
        { virtualKeyName: 'test', creatorNickname: null, cost: '0.000000000001', requestCount: 7 },
      ],
    });
  });

  test.each(['2026-13', '2026-00', '2026-1', '26-01', '', 'x', '2026-01-01', '2026-01&month=2026-02', '%00'])(
    'month=%s is rejected with 422 and the reason',
    async (month) => {
      const reply = await get(`/v1/usage?month=${month}`);
      expect(reply.status).toBe(422);
      const body = new Shape(ValidationErrorBody).check(await reply.json());
      expect(body.detail).toEqual([
        { loc: ['query', 'month'], msg: expect.stringContaining('month'), type: 'string_pattern_mismatch' },
      ]);
      expect(body.error_ref).toBe(reply.headers.get('x-request-id'));
    },
  );

  test('both paths answer the same', async () => {
    for (const path of ['usage', 'balance']) {
      const [short, long] = [await get(`/v1/${path}`), await get(`/platform/v1/${path}`)];
      expect(await long.json()).toEqual(await short.json());
    }
  });

  test('a gateway key cannot read it, and a management key cannot call a model', async () => {
    for (const path of ['/v1/usage', '/v1/balance', '/platform/v1/usage']) {
      const reply = await get(path, gateway.key);
      expect(reply.status).toBe(401);
      expect(await reply.json()).toMatchObject({ type: 'invalid_credentials' });
      expect((await get(path, null)).status).toBe(401);
    }
    const call = await gateway.chat(
      { model: 'sim-chat', messages: [{ role: 'user', content: 'x' }] },
      { authorization: `Bearer ${managementKey}` },
    );
    expect(call.status).toBe(401);
  });

  test('each space reads only its own figures, and one without units and overage is blocked', async () => {
    await gateway.admin('spaces.create', { name: 'poor' });
    const key = (await makeKey('poor-reports', { kind: 'management', space: 'poor' })).key;
    expect(usageShape.check(await (await get('/v1/usage', key)).json())).toMatchObject(zero);
    expect(await balance(key)).toEqual({
      held: { promo: '0', paid: '0', total: '0' },
      overage: { accrued: '0', allowed: false },
      blocked: true,
    });
    await gateway.admin('grants.add', { space: 'poor', amount: '0.5', kind: 'promo' });
    expect(await balance(key)).toMatchObject({
      held: { promo: '0.5', paid: '0', total: '0.5' },
      blocked: false,
    });
  });
});
