/** What the database holds after a run, read whole, and the arithmetic that must hold in it. */
import type { Queryable } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { parseUnits, printUnits, sumUnits } from '../../src/kernel/units.ts';
import { settleAll } from '../support/settle-all.ts';

export interface LedgerCall {
  readonly id: string;
  readonly spaceId: string;
  readonly outcome: 'completed' | 'partial' | 'failed';
  /** A decimal string; null where the price is not known. */
  readonly cost: string | null;
}

export interface LedgerTotal {
  readonly spaceId: string;
  readonly month: string;
  readonly requests: number;
  readonly unpriced: number;
  readonly cost: string;
}

export interface Ledger {
  readonly calls: readonly LedgerCall[];
  readonly totals: readonly LedgerTotal[];
  readonly grants: ReadonlyArray<{ spaceId: string; amount: string; remaining: string }>;
  readonly accounts: ReadonlyArray<{ spaceId: string; space: string; overage: string; expired: string }>;
}

/** Pays for all calls first. */
export async function readLedger(db: Queryable): Promise<Ledger> {
  await settleAll(db);
  return {
    calls: await db.query(sql`select id, space_id as "spaceId", outcome, cost from calls order by id`),
    totals: await db.query(
      sql`select space_id as "spaceId", month, requests, unpriced, cost from month_totals`,
    ),
    grants: await db.query(sql`select space_id as "spaceId", amount, remaining from grants`),
    accounts: await db.query(sql`
      select a.space_id as "spaceId", s.name as space, a.overage_accrued as overage,
        (select coalesce(sum(j.expired), 0) from journal j where j.space_id = a.space_id) as expired
      from accounts a join spaces s on s.id = a.space_id`),
  };
}

/** What does not add up, one sentence per finding; empty when every space is right to the last decimal. */
export function imbalances(ledger: Ledger): string[] {
  return ledger.accounts.flatMap(({ spaceId, overage, expired }) => {
    const own = <T extends { spaceId: string }>(rows: readonly T[]): T[] =>
      rows.filter((row) => row.spaceId === spaceId);
    const calls = own(ledger.calls);
    const totals = own(ledger.totals);
    const counted = calls.filter((call) => call.outcome !== 'failed');
    const charged = sum(calls.map((call) => call.cost));
    const pairs: Array<[string, bigint, bigint]> = [
      ['the totals of the month', sum(totals.map((total) => total.cost)), charged],
      [
        'units taken from grants plus overage',
        taken(own(ledger.grants)) - parseUnits(expired) + parseUnits(overage),
        charged,
      ],
    ];
    const counts: Array<[string, number, number]> = [
      ['requests in the month', count(totals, 'requests'), counted.length],
      ['unpriced in the month', count(totals, 'unpriced'), counted.filter((c) => c.cost === null).length],
    ];
    return [
      ...pairs
        .filter(([, found, expected]) => found !== expected)
        .map(
          ([name, found, expected]) =>
            `${spaceId}: ${name} are ${print(found)}, the calls ${print(expected)}`,
        ),
      ...counts
        .filter(([, found, expected]) => found !== expected)
        .map(([name, found, expected]) => `${spaceId}: ${name} are ${found}, the calls ${expected}`),
    ];
  });
}

/** All charges together, as a decimal string. */
export function totalCost(ledger: Ledger): string {
  return print(sum(ledger.calls.map((call) => call.cost)));
}

function sum(amounts: ReadonlyArray<string | null>): bigint {
  return sumUnits(amounts.filter((amount) => amount !== null).map(parseUnits));
}

function taken(grants: Ledger['grants']): bigint {
  return sum(grants.map((grant) => grant.amount)) - sum(grants.map((grant) => grant.remaining));
}

function count(totals: readonly LedgerTotal[], field: 'requests' | 'unpriced'): number {
  return totals.reduce((all, total) => all + total[field], 0);
}

function print(amount: bigint): string {
  return printUnits(amount as ReturnType<typeof parseUnits>);
}
