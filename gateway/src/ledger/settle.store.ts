/**
 * Settling: the units of a space pay for its calls. A charge only says what a space owes, in rows of its own process
 * (`dues`); here units are taken for it, for one space at a time, in the order in which they were used. Promo units that
 * have expired go in the same step, after the charges that were made before.
 */
import { type Queryable, timestamp } from '../database/database.ts';
import { type Sql, sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';

/** Spaces in one transaction. */
const SPACES_MAX = 100;

/** Returns the spaces that somebody else is settling or changing now. */
export async function settleSpaces(
  db: Queryable,
  spaces: readonly string[],
  now: Instant,
): Promise<string[]> {
  const left: string[] = [];
  for (let first = 0; first < spaces.length; first += SPACES_MAX) {
    const some = spaces.slice(first, first + SPACES_MAX);
    const [row] = await db.query<{ settled: string[] }>(
      sql`select settle_spaces(${some}, ${timestamp(now)}) as settled`,
    );
    const settled = new Set(row?.settled);
    left.push(...some.filter((id) => !settled.has(id)));
  }
  return left;
}

/** Expires promo units. Returns the number of spaces whose units expired. */
export async function expireUnits(db: Queryable, now: Instant): Promise<number> {
  const due = await findExpired(db, now);
  const left = due.length === 0 ? [] : await settleSpaces(db, due, now);
  return due.length - left.length;
}

/** Spaces with promo units that have expired. */
async function findExpired(db: Queryable, now: Instant): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select distinct space_id as id from grants where remaining > 0 and expires_at <= ${timestamp(now)}
    order by space_id limit ${SPACES_MAX}`);
  return rows.map(({ id }) => id);
}

/** Spaces with unpaid calls of writer 0, who is nobody: what was written while no server ran, or by an earlier version. */
export async function findLeftDues(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select distinct d.space_id as id from dues d left join settled_dues s using (space_id, month, writer)
    where d.writer = 0 and d.amount > coalesce(s.amount, 0) order by 1 limit ${SPACES_MAX}`);
  return rows.map(({ id }) => id);
}

/** Settles spaces with calls of writers that have ended, and forgets what is paid. Returns how many spaces were settled. */
export async function forgetDues(
  db: Queryable,
  { writers, spacesMax, now }: { writers: readonly number[]; spacesMax: number; now: Instant },
): Promise<number> {
  const [row] = await db.query<{ settled: number }>(
    sql`select forget_dues(${writers.map(String)}::text[]::integer[], ${spacesMax}, ${timestamp(now)}) as settled`,
  );
  return row?.settled ?? 0;
}

/** `promo`, `paid` and `overage` of a space as they are when all its calls are paid; `edge` if only settling can tell. */
export function settledHolding(space: Sql, now: Instant): Sql {
  const at = timestamp(now);
  return sql`
    select greatest(h.promo - u.unpaid, 0) as promo,
      greatest(h.paid - greatest(u.unpaid - h.promo, 0), 0) as paid,
      a.overage_accrued + greatest(u.unpaid - h.promo - h.paid, 0) as overage,
      u.unpaid > 0 and h.expired as edge
    from accounts a cross join lateral (
      select coalesce((select sum(d.amount) from dues d where d.space_id = a.space_id), 0)
        - coalesce((select sum(s.amount) from settled_dues s where s.space_id = a.space_id), 0) as unpaid) u
    cross join lateral (
      select coalesce(sum(g.remaining) filter (where g.kind = 'promo' and not g.gone), 0) as promo,
        coalesce(sum(g.remaining) filter (where g.kind = 'paid'), 0) as paid,
        coalesce(bool_or(g.gone), false) as expired
      from (select kind, remaining, coalesce(expires_at <= ${at}, false) as gone
        from grants where space_id = a.space_id and remaining > 0) g) h
    where a.space_id = ${space}`;
}

/** The grants of a space with what is `remaining` of each when all calls are paid, in the order in which units are taken. */
export function settledGrants(spaceId: string, now: Instant): Sql {
  const valid = sql`(g.expires_at is null or g.expires_at > ${timestamp(now)})`;
  return sql`
    select g.id, g.kind, g.amount, g.expires_at, g.note, g.created_at,
      case when ${valid} then g.remaining - least(g.remaining, greatest(u.unpaid - (g.before - g.remaining), 0))
        else g.remaining end as remaining
    from (select g.*, sum(case when ${valid} then g.remaining else 0 end)
        over (order by g.kind desc, g.expires_at nulls last, g.id) as before
      from grants g where g.space_id = ${spaceId}) g
    cross join (
      select coalesce((select sum(amount) from dues where space_id = ${spaceId}), 0)
        - coalesce((select sum(amount) from settled_dues where space_id = ${spaceId}), 0) as unpaid) u`;
}
