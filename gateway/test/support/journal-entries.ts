/** The entries of a space as the journal has them, newest first. */
import type { Queryable } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { parseUnits } from '../../src/kernel/units.ts';
import { type Account, accounts, type NewEntry } from '../../src/ledger/postings.ts';

interface Entry extends NewEntry {
  readonly id: number;
}

type EntryRow = Record<Account, string> &
  Omit<Entry, 'moves' | 'grants'> & { grant_ids: string[]; grant_parts: string[] };

export async function listEntries(db: Queryable, of: { spaceId: string; limit: number }): Promise<Entry[]> {
  const rows = await db.query<EntryRow>(sql`
    select id, space_id as "spaceId", kind, ref, issued, promo, paid, overage, spent, expired, invoiced, due,
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
    grants: grant_ids.map((grant, i) => ({ id: grant, part: parseUnits(grant_parts[i] as string) })),
  }));
}
