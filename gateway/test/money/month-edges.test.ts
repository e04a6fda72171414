/** Months and days are calendar months and days in KST, to the millisecond, in the API, the command line and the limits. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { digestOfSecret } from '../../src/access/key-secret.ts';
import { findPrincipal } from '../../src/access/keys.store.ts';
import type { Principal } from '../../src/access/principal.ts';
import { Shape } from '../../src/contract/check-shape.ts';
import { UsageRecord } from '../../src/contract/platform.ts';
import { Problem } from '../../src/kernel/problem.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { parseUnits, printUnits, sumUnits, type Units } from '../../src/kernel/units.ts';
import { openAdmission } from '../support/admission.ts';
import { type ChargedCall, chargeCalls } from '../support/charged-calls.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const usageShape = new Shape(UsageRecord);
const zero = { totalCostUsage: '0', totalRequestCount: 0, activeVirtualKeyCount: 0 };
const nothing = { ...zero, costsByModel: [], costsByVirtualKey: [] };

/** The last day of a month and the first of the next: an ordinary month, a leap February, the end of a year. */
const edges = [
  ['2025-04-30', '2025-05-01'],
  ['2024-02-29', '2024-03-01'],
  ['2025-12-31', '2026-01-01'],
] as const;

describe.each(engines)('months on %s', (engine) => {
  let gateway: TestGateway;
  let management: string;
  let limited: Principal;
  beforeAll(async () => {
    gateway = await startGateway({ engine });
    const { admin } = gateway;
    const make = async (name: string, kind: 'shared' | 'management'): Promise<string> =>
      (await admin('keys.create', { name, kind })).key;
    management = await make('reports', 'management');
    const key = await make('limited', 'shared');
    await make('other', 'shared');
    await admin('keys.limit', { name: 'limited', month_limit: '1' });
    limited = (await findPrincipal(gateway, digestOfSecret(key))) as Principal;
  });
  afterAll(() => gateway.stop());

  async function usage(month: string): Promise<UsageRecord> {
    const headers = { authorization: `Bearer ${management}` };
    const reply = await fetch(`${gateway.url}/v1/usage?month=${month}`, { headers });
    expect(reply.status, month).toBe(200);
    return usageShape.check(await reply.json());
  }

  async function days(month: string): Promise<Array<[string, string]>> {
    const { rows } = await gateway.admin('reports.usage', { by: 'day', month });
    return rows.map(({ name, cost }) => [name, cost]);
  }

  async function mayCall(at: string): Promise<boolean> {
    const clock = { ...systemClock, now: () => Date.parse(at) };
    const mayCall = await openAdmission({ query: gateway.query, engine }, { clock });
    try {
      await mayCall(limited);
      return true;
    } catch (error) {
      if (error instanceof Problem && error.code === 'policy_limit_exceeded') return false;
      throw error;
    }
  }

  test.each(edges)('a call is charged in its own month and day: %s | %s', async (last, first) => {
    const [before, after] = [`${last}T23:59:59.999+09:00`, `${first}T00:00:00.000+09:00`];
    await chargeCalls(gateway, [
      { key: 'limited', cost: '1.000000000001', at: before },
      { key: 'limited', cost: '0.25', at: after },
    ]);
    const [month, next] = [last.slice(0, 7), first.slice(0, 7)];
    expect(await usage(month)).toMatchObject({
      periodStart: `${month}-01T00:00:00+09:00`,
      periodEnd: after.replace('.000', ''),
      totalCostUsage: '1.000000000001',
      totalRequestCount: 1,
    });
    expect(await usage(next)).toMatchObject({ totalCostUsage: '0.25', totalRequestCount: 1 });
    expect(await days(month)).toEqual([[last, '1.000000000001']]);
    expect(await days(next)).toEqual([[first, '0.25']]);
    expect(await mayCall(before)).toBe(false);
    expect(await mayCall(after)).toBe(true);
    expect((await gateway.admin('ledger.verify')).disagreements).toEqual([]);
  });

  test.each(['0000-01', '0001-01', '1999-12', '2999-12', '9999-12'])(
    'a month without calls is all zeros, also at the ends of the calendar: %s',
    async (month) => {
      expect(await usage(month)).toMatchObject({ ...nothing, periodStart: `${month}-01T00:00:00+09:00` });
      expect(await days(month)).toEqual([]);
    },
  );

  test('for any calls, the sums by model and by key equal the total, to the last digit', async () => {
    let year = 3000;
    const call = fc.record({
      key: fc.constantFrom('test', 'limited', 'other'),
      model: fc.constantFrom('a', 'b', 'c', 'd'),
      cost: fc.oneof(
        fc.bigInt({ min: 0n, max: 10n ** 24n }).map((units) => printUnits(units as Units)),
        fc.constantFrom('0', '0.000000000001', null),
      ),
      outcome: fc.constantFrom('completed' as const, 'partial' as const, 'failed' as const),
      day: fc.integer({ min: 1, max: 28 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 30 }), async (drawn) => {
        // Each run has its own month.
        const month = `${++year}-02`;
        const calls: ChargedCall[] = drawn.map(({ day, cost, ...of }) => ({
          ...of,
          cost: of.outcome === 'failed' ? null : cost,
          at: `${month}-${String(day).padStart(2, '0')}T12:00:00+09:00`,
        }));
        await chargeCalls(gateway, calls);
        const counted = calls.filter(({ outcome }) => outcome !== 'failed');
        const total = sumUnits(counted.map(({ cost }) => parseUnits(cost ?? '0')));
        const report = await usage(month);
        expect(report.totalCostUsage).toBe(printUnits(total));
        for (const rows of [report.costsByModel, report.costsByVirtualKey]) {
          expect(sumUnits(rows.map(({ cost }) => parseUnits(cost)))).toBe(total);
          expect(rows.reduce((sum, { requestCount }) => sum + requestCount, 0)).toBe(counted.length);
        }
        expect(sumUnits((await days(month)).map(([, cost]) => parseUnits(cost)))).toBe(total);
        expect(report.totalRequestCount).toBe(counted.length);
        expect(report.activeVirtualKeyCount).toBe(new Set(counted.map(({ key }) => key)).size);
      }),
      { numRuns: 15 },
    );
  });
});
