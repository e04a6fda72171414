/**
 * The journal: every movement of units is an entry whose accounts sum to zero. SQL functions
 * write the entries for calls and expiry; every other entry is written here, after `settleAccount`.
 */
import { type Transaction, timestamp } from '../database/database.ts';
import { type Sql, sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import { parseUnits, printUnits, type Units, ZERO } from '../kernel/units.ts';
import type { Account, NewEntry, TakenUnits } from './postings.ts';

/** The condition for entries `j` that no call caused, which have an index of their own. */
export function isByHand(j: Sql): Sql {
  return sql`${j}.kind not in ('charge', 'payment')`;
}

/** Returns the id of the entry. The database rejects one that does not sum to zero. */
export async function insertEntry(tx: Transaction, entry: NewEntry): Promise<number> {
  const moved = (account: Account): string => printUnits(entry.moves[account] ?? ZERO);
  const [row] = await tx.query<{ id: number }>(sql`
    insert into journal (space_id, kind, ref, issued, promo, paid, overage, spent, expired, invoiced,
      grant_ids, grant_parts, note, at)
    values (${entry.spaceId}, ${entry.kind}, ${entry.ref}, ${moved('issued')}, ${moved('promo')}, ${moved('paid')},
      ${moved('overage')}, ${moved('spent')}, ${moved('expired')}, ${moved('invoiced')},
      ${entry.grants.map(({ id }) => id)},
      ${entry.grants.map(({ part }) => printUnits(part))}::text[]::numeric[], ${entry.note}, ${timestamp(entry.at)}) returning id`);
  return (row as { id: number }).id;
}

/** Takes promo units first, then paid units, then adds overage. Returns what it took, as negative amounts. */
export async function takeUnits(
  tx: Transaction,
  from: { spaceId: string; amount: Units; now: Instant },
): Promise<TakenUnits> {
  const [row] = await tx.query<TakenRow>(sql`
    select promo, paid, overage, grant_ids, grant_parts::text[]
    from take_units(${from.spaceId}, ${printUnits(from.amount)}, ${timestamp(from.now)})`);
  const { promo, paid, overage, grant_ids, grant_parts } = row as TakenRow;
  return {
    moves: { promo: parseUnits(promo), paid: parseUnits(paid), overage: parseUnits(overage) },
    grants: readParts(grant_ids, grant_parts),
  };
}

interface TakenRow {
  readonly promo: string;
  readonly paid: string;
  readonly overage: string;
  readonly grant_ids: readonly string[];
  readonly grant_parts: readonly string[];
}

function readParts(ids: readonly string[], parts: readonly string[]): NewEntry['grants'] {
  return ids.map((id, i) => ({ id, part: parseUnits(parts[i] as string) }));
}
