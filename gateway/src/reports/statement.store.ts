/**
 * Reads what a monthly statement consists of, from one snapshot, so that all figures are of the same moment. The calls so
 * far are paid first, in the same transaction, so that units and charges agree.
 */
import { type Database, type Transaction, timestamp } from '../database/database.ts';
import { LONG_ANSWER_MS } from '../database/deadlines.ts';
import { sql } from '../database/sql.ts';
import { type Instant, type Month, monthStart, nextMonth } from '../kernel/time.ts';
import { parseUnits, type Units } from '../kernel/units.ts';
import { settleAccount } from '../ledger/accounts.store.ts';
import type { MovementKind } from '../ledger/postings.ts';
import { readChargedParts, readCorrectedMonths } from './charge-breakdown.store.ts';

/** Units of a space by account; `overage` is what it owes. */
export interface Holding {
  readonly promo: Units;
  readonly paid: Units;
  readonly overage: Units;
}

/** What is charged: groups of calls, batches, videos, or everything before the journal existed. */
export const chargeSources = ['calls', 'batches', 'videos', 'opening'] as const;
export type ChargeSource = (typeof chargeSources)[number];

/** The sum of all entries of one kind. */
export interface Movement extends Holding {
  readonly kind: MovementKind;
  /** For charges. */
  readonly source: ChargeSource | null;
  readonly entries: number;
}

export interface StatementFacts {
  /** According to grants and account; what grants hold counts until its expiry is written. */
  readonly now: Holding;
  /** Promo units that have expired, but whose expiry is not written yet. */
  readonly dueExpiry: Units;
  readonly inMonth: readonly Movement[];
  readonly afterMonth: readonly Movement[];
  /** The usage of the month, with all corrections of its calls. */
  readonly usage: Units;
  /** Corrections of calls of this month that were made in another month. */
  readonly correctedElsewhere: Units;
  /** Corrections that were made in this month of calls of other months. */
  readonly correctionsOfOthers: Units;
}

interface FactRow {
  readonly part: 'now' | 'due' | 'in' | 'after' | 'usage' | 'elsewhere' | 'others';
  readonly kind: MovementKind;
  readonly source: ChargeSource | null;
  readonly entries: number;
  readonly promo: string;
  readonly paid: string;
  readonly overage: string;
}

interface StatementOf {
  readonly spaceId: string;
  readonly month: Month;
  readonly now: Instant;
}

export async function readStatement(db: Database, of: StatementOf) {
  return await db.transaction(
    async (tx) => {
      await tx.query(sql`set transaction isolation level repeatable read`);
      await settleAccount(tx, of.spaceId, of.now);
      const facts = await readFacts(tx, of);
      return { facts, parts: await readChargedParts(tx, of), corrected: await readCorrectedMonths(tx, of) };
    },
    { timeoutMs: LONG_ANSWER_MS },
  );
}

/**
 * Reads the entries since the start of the month, and goes back from the balance of now: the newest months are asked
 * for most, and are read fastest.
 */
async function readFacts(tx: Transaction, { spaceId, month, now }: StatementOf): Promise<StatementFacts> {
  const [start, end] = [timestamp(monthStart(month)), timestamp(monthStart(nextMonth(month)))];
  const rows = await tx.query<FactRow>(sql`
    with since as (
      select case when at < ${end} then 'in' else 'after' end as part, case kind when 'payment' then 'charge' else kind end as kind,
        case when kind in ('charge', 'payment') then case
          when ref in ('calls', 'opening') then ref when starts_with(ref, 'batch_') then 'batches' else 'videos' end
        end as source, ref, promo, paid, overage, spent, case kind when 'payment' then 0 else 1 end as entries
      from journal where space_id = ${spaceId} and at >= ${start}
    ), corrected as (
      select s.part, c.month, s.spent from since s join calls c on c.id = s.ref where s.kind = 'correction'
    )
    select part, kind, source, sum(entries) as entries, sum(promo) as promo, sum(paid) as paid, -sum(overage) as overage
    from since group by part, kind, source
    union all
    select 'now', null, null, 0, coalesce(sum(g.remaining) filter (where g.kind = 'promo'), 0),
      coalesce(sum(g.remaining) filter (where g.kind = 'paid'), 0),
      (select overage_accrued from accounts where space_id = ${spaceId})
    from grants g where g.space_id = ${spaceId}
    union all
    select 'due', null, null, 0, coalesce(sum(remaining), 0), 0, 0 from grants
    where space_id = ${spaceId} and remaining > 0 and expires_at <= ${timestamp(now)}
    union all
    select 'usage', null, null, 0, coalesce(sum(cost), 0), 0, 0 from day_parts
    where space_id = ${spaceId} and day >= to_date(${month}, 'YYYY-MM')
      and day < to_date(${month}, 'YYYY-MM') + interval '1 month'
    union all
    select 'elsewhere', null, null, 0, coalesce(sum(spent), 0), 0, 0 from corrected
    where part = 'after' and month = ${month}
    union all
    select 'others', null, null, 0, coalesce(sum(spent), 0), 0, 0 from corrected
    where part = 'in' and month <> ${month}`);
  return factsOf(rows);
}

function factsOf(rows: readonly FactRow[]): StatementFacts {
  const sum = (part: FactRow['part']): Units =>
    parseUnits(rows.find((row) => row.part === part)?.promo ?? '0');
  const movements = (part: FactRow['part']): Movement[] =>
    rows
      .filter((row) => row.part === part)
      .map((row) => ({ kind: row.kind, source: row.source, entries: row.entries, ...holdingOf(row) }));
  const held = rows.find(({ part }) => part === 'now');
  if (held === undefined || held.overage === null) throw new Error('the space has no account');
  return {
    now: holdingOf(held),
    dueExpiry: sum('due'),
    inMonth: movements('in'),
    afterMonth: movements('after'),
    usage: sum('usage'),
    correctedElsewhere: sum('elsewhere'),
    correctionsOfOthers: sum('others'),
  };
}

function holdingOf({ promo, paid, overage }: FactRow): Holding {
  return { promo: parseUnits(promo), paid: parseUnits(paid), overage: parseUnits(overage) };
}
