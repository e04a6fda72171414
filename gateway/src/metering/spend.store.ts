/** What keys and members have spent this month, and what spaces may still spend. */
import type { Queryable } from '../database/database.ts';
import { CALL_ANSWER_MS } from '../database/deadlines.ts';
import { sql } from '../database/sql.ts';
import type { Instant, Month } from '../kernel/time.ts';
import { parseUnits, subtractUnits, type Units, ZERO } from '../kernel/units.ts';
import { settledHolding } from '../ledger/settle.store.ts';
import { reservedUnits } from './reserved.store.ts';

export interface Spending {
  /** Spaces that are blocked, or have no units and may not use overage. */
  readonly blockedSpaces: ReadonlySet<string>;
  /** What the other spaces that may not use overage can still spend, by space id. */
  readonly held: ReadonlyMap<string, Units>;
  /** What keys and members with a limit spent this month, by key id or member id. */
  readonly spent: ReadonlyMap<string, Spent>;
}

export interface Spent {
  readonly charged: Units;
  /** Counts as spent too (`reserved.store.ts`). */
  readonly reserved: Units;
}

interface Row {
  readonly kind: 'held' | 'spent';
  readonly id: string;
  readonly units: string;
  readonly reserved: string;
}

/**
 * One statement, so that all figures are from the same snapshot. What this process holds in memory for its own calls is left
 * out.
 */
export async function readSpending(
  db: Queryable,
  at: { now: Instant; month: Month; process: string },
): Promise<Spending> {
  const statement = sql`
    with reserved as materialized (
      select * from ${reservedUnits} r where r.process is null or r.process <> ${at.process})
    select 'held' as kind, s.id, case when s.blocked_at is null then h.promo + h.paid else 0 end as units,
      coalesce((select sum(r.units) from reserved r where r.space_id = s.id), 0) as reserved
    from spaces s cross join lateral (${settledHolding(sql`s.id`, at.now)}) h
    where s.blocked_at is not null or not s.overage_allowed
    union all
    select 'spent', k.id, coalesce(sum(t.cost), 0), coalesce((select sum(r.units) from reserved r
      where r.key_id = k.id and coalesce(r.month, ${at.month}) = ${at.month}), 0)
    from keys k
    left join month_parts t on t.space_id = k.space_id and t.month = ${at.month} and t.key_id = k.id
    where k.month_limit is not null and k.revoked_at is null group by k.id
    union all
    select 'spent', m.id, coalesce(sum(t.cost), 0), coalesce((select sum(r.units) from reserved r
      where r.member_id = m.id and coalesce(r.month, ${at.month}) = ${at.month}), 0)
    from members m
    left join keys k on k.member_id = m.id
    left join month_parts t on t.space_id = k.space_id and t.month = ${at.month} and t.key_id = k.id
    where m.month_limit is not null and m.removed_at is null group by m.id`;
  const rows = await db.query<Row>({ ...statement, timeoutMs: CALL_ANSWER_MS });
  const blockedSpaces = new Set<string>();
  const held = new Map<string, Units>();
  const spent = new Map<string, Spent>();
  for (const { kind, id, ...row } of rows) {
    const [units, reserved] = [parseUnits(row.units), parseUnits(row.reserved)];
    const left = subtractUnits(units, reserved);
    if (kind === 'spent') spent.set(id, { charged: units, reserved });
    else if (left <= ZERO) blockedSpaces.add(id);
    else held.set(id, left);
  }
  return { blockedSpaces, held, spent };
}
