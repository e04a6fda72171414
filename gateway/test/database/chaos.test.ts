/** Billing under kill -9, on both engines; with a journal: `chaos-journal.long.test.ts`. */
import { describe, expect, test } from 'vitest';
import type { BalanceRecord, UsageRecord } from '../../src/contract/platform.ts';
import type { Verdict } from '../../src/reports/verify-books.store.ts';
import { repeatedAsks, repeatedIds, wrongCharges } from '../chaos/audit.ts';
import type { CallNote } from '../chaos/client.ts';
import { describeKills } from '../chaos/kill-promises.ts';
import { imbalances, type Ledger } from '../chaos/ledger.ts';
import { wrongReports } from '../chaos/reports.ts';
import { engines } from '../support/engines.ts';

describe.each(engines)('kill -9 on %s', (engine) => describeKills(engine));

describe('the check bites', () => {
  const note: CallNote = {
    mark: 'call-1.',
    kind: 'whole',
    requestId: 'req_1',
    status: 200,
    end: 'full',
    cost: '0.5',
    refusal: null,
  };
  const row = { id: 'req_1', spaceId: 's', outcome: 'completed', cost: '0.500000000000' } as const;
  const account = { spaceId: 's', space: 'lab', overage: '0.2', expired: '0' };
  const good: Ledger = {
    calls: [row],
    totals: [{ spaceId: 's', month: '2026-11', requests: 1, unpriced: 0, cost: '0.5' }],
    grants: [{ spaceId: 's', amount: '1', remaining: '0.7' }],
    accounts: [account],
  };
  const journals = (calls: Ledger['calls'], provider: string[] = []) => ({
    clients: [note],
    provider,
    ledger: { ...good, calls },
  });

  test('a reply without a row, with two, with another cost, or that counts as failed is found', () => {
    expect(wrongCharges(journals([row]))).toEqual([]);
    expect(wrongCharges(journals([]))).toHaveLength(1);
    expect(wrongCharges(journals([row, row]))).toHaveLength(1);
    expect(wrongCharges(journals([{ ...row, cost: '0.500000000001' }]))).toHaveLength(1);
    expect(wrongCharges(journals([{ ...row, cost: null }]))).toHaveLength(1);
    expect(wrongCharges(journals([{ ...row, outcome: 'failed' }]))).toHaveLength(1);
  });

  test('a sum that is off by the last decimal, and a call that was not counted, are found', () => {
    expect(imbalances(good)).toEqual([]);
    expect(imbalances({ ...good, accounts: [{ ...account, overage: '0.200000000001' }] })).toHaveLength(1);
    expect(imbalances({ ...good, grants: [] })).toHaveLength(1);
    expect(imbalances({ ...good, totals: [] })).toHaveLength(2);
    expect(imbalances({ ...good, calls: [row, { ...row, id: 'req_2', cost: null }] })).toHaveLength(2);
  });

  test('a repeated id and a repeated ask are found', () => {
    expect(repeatedIds(journals([row, row]))).toEqual(['req_1']);
    expect(repeatedAsks(journals([row], ['call-1.', 'call-2.', 'call-1.']))).toEqual(['call-1.']);
  });

  test('a report or a journal that is off by the last decimal or by one request is found', () => {
    const cost = '0.5';
    const usage: UsageRecord = {
      periodStart: '',
      periodEnd: '',
      totalCostUsage: cost,
      totalRequestCount: 1,
      activeVirtualKeyCount: 1,
      costsByModel: [{ model: 'm', cost, requestCount: 1 }],
      costsByVirtualKey: [{ virtualKeyName: 'k', cost, requestCount: 1 }],
    };
    const balance: BalanceRecord = {
      held: { promo: '0', paid: '0.7', total: '0.7' },
      overage: { accrued: '0.2', allowed: true },
      blocked: false,
    };
    const books = { space: 'lab', promo: '0', paid: '0.7', overage: '0.2', spent: cost };
    const found = (more: { usage?: object; balance?: object; books?: object }): number =>
      wrongReports({
        reports: [
          { space: 'lab', usage: [{ ...usage, ...more.usage }], balance: { ...balance, ...more.balance } },
        ],
        ledger: good,
        verdict: { spaces: [{ ...books, ...more.books }], disagreements: [] } as unknown as Verdict,
      }).length;
    const off = '0.500000000001';
    expect(found({})).toBe(0);
    expect(found({ usage: { totalCostUsage: off } })).toBe(1);
    expect(found({ usage: { costsByModel: [] } })).toBe(1);
    expect(
      found({ usage: { costsByVirtualKey: [{ virtualKeyName: 'k', cost: off, requestCount: 1 }] } }),
    ).toBe(1);
    expect(found({ usage: { totalRequestCount: 2 } })).toBe(1);
    expect(found({ balance: { held: { promo: '0', paid: '0.7', total: '0.70000001' } } })).toBe(1);
    expect(found({ books: { spent: off } })).toBe(1);
    expect(found({ books: { paid: off } })).toBe(1);
  });
});
