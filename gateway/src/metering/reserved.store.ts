/**
 * Units that count as spent although nothing is charged yet: what batches that are not settled may cost, what calls may
 * cost whose callers left before they were counted, and what calls without a price count for.
 */
import type { Queryable } from '../database/database.ts';
import { type Sql, sql } from '../database/sql.ts';
import type { Month } from '../kernel/time.ts';
import { parseUnits, type Units } from '../kernel/units.ts';

/**
 * A row source with space_id, key_id, member_id, units and month. Units of a month count for the monthly limits of that month
 * only.
 */
export const reservedUnits: Sql = sql`(
  select space_id, key_id, member_id, units, null::text as month from reserves
  union all
  select space_id, key_id, member_id, units, null from left_calls
  union all
  select t.space_id, t.key_id, k.member_id, t.provisional, t.month
  from month_parts t left join keys k on k.id = t.key_id where t.provisional <> 0)`;

/** What is reserved of the units of a space. */
export async function readSpaceReserved(db: Queryable, spaceId: string): Promise<Units> {
  const [row] = await db.query<{ units: string }>(sql`
    select coalesce(sum(r.units), 0) as units from ${reservedUnits} r where r.space_id = ${spaceId}`);
  return parseUnits(row?.units ?? '0');
}

/** What is reserved of the monthly limits of a key and its member. */
export async function readKeyReserved(
  db: Queryable,
  of: { spaceId: string; keyId: string; memberId: string | null; month: Month },
): Promise<{ key: Units; member: Units }> {
  const [row] = await db.query<{ key: string; member: string }>(sql`
    select coalesce(sum(r.units) filter (where r.key_id = ${of.keyId}), 0) as key,
      coalesce(sum(r.units) filter (where r.member_id = ${of.memberId}), 0) as member
    from ${reservedUnits} r where r.space_id = ${of.spaceId} and coalesce(r.month, ${of.month}) = ${of.month}`);
  return { key: parseUnits(row?.key ?? '0'), member: parseUnits(row?.member ?? '0') };
}
