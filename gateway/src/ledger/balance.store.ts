/** The balance of a space: the units it holds and the overage it owes, with every call that was charged. */
import type { Queryable } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import { parseUnits, type Units } from '../kernel/units.ts';
import { settledHolding, settleSpaces } from './settle.store.ts';

export interface Balance {
  readonly promo: Units;
  readonly paid: Units;
  readonly overageAccrued: Units;
  readonly overageAllowed: boolean;
  /** An operator blocked the space. */
  readonly blocked: boolean;
}

interface BalanceRow {
  readonly promo: string;
  readonly paid: string;
  readonly overage: string;
  readonly edge: boolean;
  readonly allowed: boolean;
  readonly blocked: boolean;
}

export async function readBalance(db: Queryable, spaceId: string, now: Instant): Promise<Balance> {
  const row = await readRow(db, spaceId, now);
  if (!row.edge) return balanceOf(row);
  await settleSpaces(db, [spaceId], now);
  return balanceOf(await readRow(db, spaceId, now));
}

async function readRow(db: Queryable, spaceId: string, now: Instant): Promise<BalanceRow> {
  const [row] = await db.query<BalanceRow>(sql`
    select h.promo, h.paid, h.overage, h.edge, s.overage_allowed as allowed, s.blocked_at is not null as blocked
    from spaces s cross join lateral (${settledHolding(sql`s.id`, now)}) h where s.id = ${spaceId}`);
  if (row === undefined) throw new Error(`the space ${spaceId} has no account`);
  return row;
}

function balanceOf({ promo, paid, overage, allowed, blocked }: BalanceRow): Balance {
  return {
    promo: parseUnits(promo),
    paid: parseUnits(paid),
    overageAccrued: parseUnits(overage),
    overageAllowed: allowed,
    blocked,
  };
}
