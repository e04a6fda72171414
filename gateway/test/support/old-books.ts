/** Writes to a database as programs did that had no writers: a space with units, and charges of calls. */
import { type Queryable, timestamp } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { newId } from '../../src/kernel/ids.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { type CallRecord, callRow, joinRows } from '../../src/metering/call-record.ts';

/** A space with paid units. The journal must exist. Returns its id. */
export async function insertOldSpace(db: Queryable, units: string): Promise<string> {
  const now = systemClock.now();
  const [id, grant, at] = [newId('spc', now), newId('grt', now), timestamp(now)];
  await db.query(
    sql`insert into spaces (id, name, overage_allowed, created_at) values (${id}, ${id}, true, ${at})`,
  );
  await db.query(sql`insert into accounts (space_id) values (${id})`);
  await db.query(sql`
    insert into grants (id, space_id, kind, amount, remaining, note, created_at)
    values (${grant}, ${id}, 'paid', ${units}, ${units}, '', ${at})`);
  await db.query(sql`
    insert into journal (space_id, kind, ref, issued, paid, grant_ids, grant_parts, at)
    values (${id}, 'grant', ${grant}, ${`-${units}`}, ${units}, ${[grant]}, ${[units]}::text[]::numeric[], ${at})`);
  return id;
}

/** Returns the number of new calls. */
export async function recordAsBefore(db: Queryable, calls: readonly CallRecord[]): Promise<number> {
  const spaces = [...new Set(calls.map(({ spaceId }) => spaceId))];
  const [row] = await db.query<{ added: number }>(sql`
    select record_calls(${joinRows(calls.map(callRow))}, ${spaces}, ${timestamp(systemClock.now())}) as added`);
  return row?.added ?? 0;
}
