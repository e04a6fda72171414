/** Requests that were answered with an error, stored so that `tollgate why` can explain them. */
import { type Queryable, timestamp } from '../database/database.ts';
import { LONG_ANSWER_MS } from '../database/deadlines.ts';
import { json, sql, within } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';

export interface Refusal {
  /** The `error_ref`. */
  readonly id: string;
  readonly at: Instant;
  readonly spaceId: string | null;
  readonly keyId: string | null;
  readonly endpoint: string;
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  readonly param: string | null;
  readonly facts: Readonly<Record<string, string | number>> | null;
}

export async function insertRefusals(db: Queryable, refusals: readonly Refusal[]): Promise<void> {
  const rows = refusals.map((refusal) => ({ ...refusal, at: timestamp(refusal.at) }));
  await db.query(sql`
    insert into refusals (id, at, space_id, key_id, endpoint, code, status, detail, param, facts)
    select id, at, "spaceId", "keyId", endpoint, code, status, detail, param, facts
    from json_to_recordset(${json(rows)}::json) as r (id text, at timestamptz, "spaceId" text,
      "keyId" text, endpoint text, code text, status integer, detail text, param text, facts json)
    on conflict (id) do nothing`);
}

/** Returns the number of deleted rows; when it is `rowsMax`, there may be more. */
export async function deleteRefusals(db: Queryable, before: Instant, rowsMax: number): Promise<number> {
  const rows = await db.query(
    within(
      LONG_ANSWER_MS,
      sql`
    delete from refusals where id in (
      select id from refusals where at < ${timestamp(before)} order by at limit ${rowsMax} for update skip locked) returning id`,
    ),
  );
  return rows.length;
}
