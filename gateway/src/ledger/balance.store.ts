/** The balance of a space: the units it holds, from its grants, and the overage it owes, from its account. */
import { type Queryable, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import { parseUnits, type Units } from '../kernel/units.ts';

export interface Balance {
  readonly promo: Units;
  readonly paid: Units;
  readonly overageAccrued: Units;
  readonly overageAllowed: boolean;
  /** An operator blocked the space. */
  readonly blocked: boolean;
}

export async function readBalance(db: Queryable, spaceId: string, now: Instant): Promise<Balance> {
  const [row] = await db.query<{
    promo: string;
    paid: string;
    overage: string;
    allowed: boolean;
    blocked: boolean;
  }>(sql`
    select coalesce(sum(g.remaining) filter (where g.kind = 'promo'), 0) as promo,
      coalesce(sum(g.remaining) filter (where g.kind = 'paid'), 0) as paid,
      a.overage_accrued as overage, s.overage_allowed as allowed,
      s.blocked_at is not null as blocked
    from accounts a join spaces s on s.id = a.space_id
    left join grants g on g.space_id = a.space_id and (g.expires_at is null or g.expires_at > ${timestamp(now)})
    where a.space_id = ${spaceId} group by a.overage_accrued, s.overage_allowed, s.blocked_at`);
  if (row === undefined) throw new Error(`the space ${spaceId} has no account`);
  return {
    promo: parseUnits(row.promo),
    paid: parseUnits(row.paid),
    overageAccrued: parseUnits(row.overage),
    overageAllowed: row.allowed,
    blocked: row.blocked,
  };
}
