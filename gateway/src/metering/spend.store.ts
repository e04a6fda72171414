/** What has been spent, and who may spend no more. */
import { type Queryable, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant, Month } from '../kernel/time.ts';
import { parseUnits, type Units } from '../kernel/units.ts';

export interface Spending {
  /** Spaces that were blocked, or have neither units nor overage. */
  readonly blockedSpaces: ReadonlySet<string>;
  /** What keys and members with a limit spent this month, by their ids. */
  readonly spent: ReadonlyMap<string, Units>;
}

/** One statement, so that all of it is of the same moment. */
export async function readSpending(db: Queryable, at: { now: Instant; month: Month }): Promise<Spending> {
  const rows = await db.query<{ id: string; spent: string | null }>(sql`
    select s.id, null::numeric as spent from spaces s
    where s.blocked_at is not null or (not s.overage_allowed and not exists (
      select 1 from grants g where g.space_id = s.id and g.remaining > 0
        and (g.expires_at is null or g.expires_at > ${timestamp(at.now)})))
    union all
    select k.id, coalesce(sum(t.cost), 0) from keys k
    left join month_totals t on t.space_id = k.space_id and t.month = ${at.month} and t.key_id = k.id
    where k.month_limit is not null and k.revoked_at is null group by k.id
    union all
    select m.id, coalesce(sum(t.cost), 0) from members m
    left join keys k on k.member_id = m.id
    left join month_totals t on t.space_id = k.space_id and t.month = ${at.month} and t.key_id = k.id
    where m.month_limit is not null and m.removed_at is null group by m.id`);
  const limited = rows.flatMap(
    ({ id, spent }): Array<[string, Units]> => (spent === null ? [] : [[id, parseUnits(spent)]]),
  );
  return {
    blockedSpaces: new Set(rows.filter(({ spent }) => spent === null).map(({ id }) => id)),
    spent: new Map(limited),
  };
}
