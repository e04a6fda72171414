/**
 * Billing under kill -9: the real program, a real database, a provider over real HTTP, fifty clients,
 * and SIGKILL at random moments. TOLLGATE_CHAOS_ROUNDS sets how many kills there are on each engine,
 * TOLLGATE_CHAOS_CALLS how many calls they are spread over on PostgreSQL, with two processes.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import type { BalanceRecord, UsageRecord } from '../../src/contract/platform.ts';
import type { Verdict } from '../../src/reports/verify-books.store.ts';
import { repeatedAsks, repeatedIds, unseenRows, wrongCharges } from '../chaos/audit.ts';
import { type CallNote, callKinds } from '../chaos/client.ts';
import { imbalances, type Ledger, totalCost } from '../chaos/ledger.ts';
import { wrongReports } from '../chaos/reports.ts';
import { type ChaosRun, runChaos } from '../chaos/run-chaos.ts';
import { engines } from '../support/engines.ts';

const ROUNDS_DEFAULT = 2;
const ROUNDS_DEFAULT_JOURNAL = 1;
const rounds = Number(process.env.TOLLGATE_CHAOS_ROUNDS ?? ROUNDS_DEFAULT);
const journalRounds = Number(process.env.TOLLGATE_CHAOS_ROUNDS ?? ROUNDS_DEFAULT_JOURNAL);
const calls = Number(process.env.TOLLGATE_CHAOS_CALLS ?? 0);
const timeoutMs = 60_000 + rounds * 30_000 + calls * 60;

const withJournal = 'postgres with a journal';
const places = [...engines, ...(engines.includes('postgres') ? [withJournal] : [])];

describe.each(places)('kill -9 on %s', (name) => {
  let run: ChaosRun;

  beforeAll(async () => {
    const engine = name === 'embedded' ? name : 'postgres';
    const journal = name === withJournal;
    const callsMin = engine === 'postgres' ? calls : 0;
    run = await runChaos({ engine, rounds: journal ? journalRounds : rounds, journal, callsMin });
    process.stderr.write(`${reportOf(name, run)}\n`);
  }, timeoutMs);

  test('a reply received in full is charged exactly once, at the cost it showed', () => {
    expect(wrongCharges(run)).toEqual([]);
  });

  test('no request id stands for two calls', () => {
    expect(repeatedIds(run)).toEqual([]);
  });

  test('charges, totals of the month, and units taken are equal to the last decimal in every space', () => {
    expect(imbalances(run.ledger)).toEqual([]);
  });

  test('the usage and the balance that a gateway tells agree with the rows of calls and with the journal', () => {
    expect(run.reports.map(({ space }) => space)).toEqual(['rich', 'poor', 'guest']);
    expect(wrongReports(run)).toEqual([]);
  });

  test('balances, charges and totals all follow from the journal', () => {
    expect(run.verdict.disagreements).toEqual([]);
  });

  test('a call is asked of the provider at most once, however its gateway ended', () => {
    expect(repeatedAsks(run)).toEqual([]);
  });

  test('a gateway that is up refuses a call only while it cannot record any, and stops in good order', () => {
    const refusals = run.clients.flatMap((note) => note.refusal ?? []);
    expect(refusals.filter((text) => !text.includes('"service_unavailable"'))).toEqual([]);
    expect(run.exitCodes.every((code) => code === 0)).toBe(true);
  });

  test('the run was rough: every kind of call came through, kills cut calls, units ran out', () => {
    const full = new Set(run.clients.filter((note) => note.end === 'full').map((note) => note.kind));
    expect([...full]).toEqual(expect.arrayContaining(callKinds.filter((kind) => kind !== 'leaver')));
    expect(run.clients.filter((note) => note.end === 'left').length).toBeGreaterThan(0);
    expect(run.clients.filter((note) => note.end === 'cut').length).toBeGreaterThan(0);
    expect(run.ledger.accounts.filter((account) => Number(account.overage) > 0).length).toBe(2);
  });
});

function reportOf(name: string, run: ChaosRun): string {
  const ended = (end: CallNote['end']): number => run.clients.filter((note) => note.end === end).length;
  return (
    `kill -9 on ${name}: ${run.kills} kills, ${run.clients.length} calls: ${ended('full')} received in full, ` +
    `${ended('cut')} cut or refused, ${ended('left')} left; the provider was asked ${run.provider.length} times; ` +
    `${run.ledger.calls.length} rows, of which ${unseenRows(run)} no client saw in full; ` +
    `${totalCost(run.ledger)} units charged`
  );
}

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
