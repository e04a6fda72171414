/** The rows of calls whose callers left before they were counted. */
import { type Queryable, timestamp } from '../database/database.ts';
import { json, sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import { printUnits, type Units } from '../kernel/units.ts';

export interface LeftCallRow {
  readonly spaceId: string;
  readonly id: string;
  readonly keyId: string;
  readonly memberId: string | null;
  /** The result of `callRow`, with estimated usage. */
  readonly row: string;
  readonly units: Units;
  /** The purses of its budgets. */
  readonly budgets: readonly string[];
}

interface Lease {
  readonly process: string;
  readonly until: Instant;
}

export async function insertLeftCalls(
  db: Queryable,
  calls: readonly LeftCallRow[],
  lease: Lease,
): Promise<void> {
  const rows = calls.map((call) => ({ ...call, units: printUnits(call.units) }));
  await db.query(sql`
    insert into left_calls (space_id, id, key_id, member_id, row, units, budgets, process, lease_until)
    select "spaceId", id, "keyId", "memberId", row, units,
      case when json_array_length(budgets) > 0 then array(select json_array_elements_text(budgets)) end,
      ${lease.process}, ${timestamp(lease.until)}::timestamptz
    from json_to_recordset(${json(rows)}::json)
      as r ("spaceId" text, id text, "keyId" text, "memberId" text, row text, units numeric,
        budgets json)
    order by "spaceId", id
    on conflict (space_id, id) do nothing`);
}

/** In the order of their keys, as everything that locks several of them. */
export async function renewLeftCalls(db: Queryable, ids: readonly string[], lease: Lease): Promise<void> {
  await db.query(sql`
    update left_calls set lease_until = ${timestamp(lease.until)} where ctid in (
      select ctid from left_calls where process = ${lease.process} and id = any (${ids})
      order by space_id, id for update)`);
}

/** Those whose process is dead. */
export async function findExpiredLeftCalls(
  db: Queryable,
  before: Instant,
  rowsMax: number,
): Promise<Array<Pick<LeftCallRow, 'id' | 'row'>>> {
  return await db.query(sql`
    select id, row from left_calls where lease_until < ${timestamp(before)} order by space_id, id limit ${rowsMax}`);
}

export async function deleteLeftCalls(db: Queryable, ids: readonly string[]): Promise<void> {
  await db.query(sql`
    delete from left_calls where ctid in (
      select ctid from left_calls where id = any (${ids}) order by space_id, id for update)`);
}
