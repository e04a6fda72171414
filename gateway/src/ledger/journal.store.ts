/**
 * The journal: every movement of units as an entry whose accounts sum to zero. Charges of calls are
 * written by the statement that records them; everything else begins with `lockAccount`.
 */
import { type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import { parseUnits, printUnits, type Units, ZERO } from '../kernel/units.ts';
import { type Account, accounts, type NewEntry } from './postings.ts';

export interface Entry extends NewEntry {
  readonly id: number;
}

/** Whoever moves units of a space holds this row until the transaction ends. Answers the overage accrued. */
export async function lockAccount(tx: Transaction, spaceId: string): Promise<Units> {
  const [row] = await tx.query<{ overage: string }>(
    sql`select overage_accrued as overage from accounts where space_id = ${spaceId} for update`,
  );
  if (row === undefined) throw new Error(`the space ${spaceId} has no account`);
  return parseUnits(row.overage);
}

/** The database refuses an entry that does not sum to zero. */
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

/** What charging takes, as negatives: promo units first, then paid ones, then overage. */
export async function takeUnits(
  tx: Transaction,
  from: { spaceId: string; amount: Units; now: Instant },
): Promise<Pick<NewEntry, 'moves' | 'grants'>> {
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

type EntryRow = Record<Account, string> &
  Omit<Entry, 'moves' | 'grants'> & { grant_ids: string[]; grant_parts: string[] };

/** The newest entries of a space first. */
export async function listEntries(db: Queryable, of: { spaceId: string; limit: number }): Promise<Entry[]> {
  const rows = await db.query<EntryRow>(sql`
    select id, space_id as "spaceId", kind, ref, issued, promo, paid, overage, spent, expired, invoiced,
      grant_ids, grant_parts::text[], note, at
    from journal where space_id = ${of.spaceId} order by id desc limit ${of.limit}`);
  return rows.map(({ id, spaceId, kind, ref, note, at, grant_ids, grant_parts, ...row }) => ({
    id,
    spaceId,
    kind,
    ref,
    note,
    at,
    moves: Object.fromEntries(accounts.map((account) => [account, parseUnits(row[account])])),
    grants: readParts(grant_ids, grant_parts),
  }));
}

function readParts(ids: readonly string[], parts: readonly string[]): NewEntry['grants'] {
  return ids.map((id, i) => ({ id, part: parseUnits(parts[i] as string) }));
}
