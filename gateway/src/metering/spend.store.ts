/** What keys and members have spent this month, and what spaces may still spend. */
import type { Queryable } from '../database/database.ts';
import { CALL_ANSWER_MS } from '../database/deadlines.ts';
import { sql } from '../database/sql.ts';
import type { Instant, Month } from '../kernel/time.ts';
import { parseUnits, type Units, ZERO } from '../kernel/units.ts';
import { settledHolding } from '../ledger/settle.store.ts';

export interface Spending {
  /** Spaces that are blocked, or have no units and may not use overage. */
  readonly blockedSpaces: ReadonlySet<string>;
  /** The units of the other spaces that may not use overage, by space id. */
  readonly held: ReadonlyMap<string, Units>;
  /** What keys and members with a limit spent this month, by key id or member id. */
  readonly spent: ReadonlyMap<string, Units>;
}

/** One statement, so that all figures are from the same snapshot. */
export async function readSpending(db: Queryable, at: { now: Instant; month: Month }): Promise<Spending> {
  const statement = sql`
    select 'held' as kind, s.id, case when s.blocked_at is null then h.promo + h.paid else 0 end as units
    from spaces s cross join lateral (${settledHolding(sql`s.id`, at.now)}) h
    where s.blocked_at is not null or not s.overage_allowed
    union all
    select 'spent', k.id, coalesce(sum(t.cost), 0) from keys k
    left join month_parts t on t.space_id = k.space_id and t.month = ${at.month} and t.key_id = k.id
    where k.month_limit is not null and k.revoked_at is null group by k.id
    union all
    select 'spent', m.id, coalesce(sum(t.cost), 0) from members m
    left join keys k on k.member_id = m.id
    left join month_parts t on t.space_id = k.space_id and t.month = ${at.month} and t.key_id = k.id
    where m.month_limit is not null and m.removed_at is null group by m.id`;
  const rows = await db.query<{ kind: 'held' | 'spent'; id: string; units: string }>({
    ...statement,
    timeoutMs: CALL_ANSWER_MS,
  });
  const blockedSpaces = new Set<string>();
  const held = new Map<string, Units>();
  const spent = new Map<string, Units>();
  for (const { kind, id, units } of rows) {
    const amount = parseUnits(units);
    if (kind === 'spent') spent.set(id, amount);
    else if (amount === ZERO) blockedSpaces.add(id);
    else held.set(id, amount);
  }
  return { blockedSpaces, held, spent };
}
