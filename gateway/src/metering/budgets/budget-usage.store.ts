/** How much of budgets is used. */
import type { Budget } from '../../access/budget.ts';
import type { Queryable } from '../../database/database.ts';
import { ListOrder, type Page, type PageRequest } from '../../database/page.ts';
import { json, sql } from '../../database/sql.ts';
import { windowOf } from '../../kernel/period.ts';
import type { Instant } from '../../kernel/time.ts';
import { parseUnits, printUnits, type Units } from '../../kernel/units.ts';
import { PER_KEY, PER_MEMBER } from './match-budgets.ts';

export interface BudgetUsage {
  /** What was added for this window. */
  readonly raised: Units;
  readonly spent: Units;
  /** What counts as spent and is not charged: batches and videos. */
  readonly reserved: Units;
  readonly requests: number;
  /** How many values have spent something of their own budget. */
  readonly values: number;
}

type Stored = { readonly [Name in keyof BudgetUsage]: BudgetUsage[Name] extends number ? number : string };

/** In their present windows, by their ids. Where each value has its own budget it is the sum. */
export async function readBudgetUsage(
  db: Queryable,
  budgets: ReadonlyArray<Pick<Budget, 'id' | 'period'> & { readonly spaceId: string }>,
  now: Instant,
): Promise<ReadonlyMap<string, BudgetUsage>> {
  const asked = budgets.map(({ id, period, spaceId }) => ({ id, spaceId, starts: windowOf(period, now) }));
  const rows = await db.query<Stored & { id: string }>(sql`
    select b.id, coalesce(p.spent, 0) as spent, coalesce(p.requests, 0)::bigint as requests,
      coalesce(p.values, 0)::bigint as values,
      coalesce((select sum(r.amount) from budget_raises r where r.budget_id = b.id and r.starts = b.starts), 0) as raised,
      coalesce((select sum(e.value::numeric) from reserves r cross join lateral json_each_text(r.budgets) e
        where r.space_id = b."spaceId" and r.budgets is not null and split_part(e.key, '.', 1) = b.id), 0) as reserved
    from json_to_recordset(${json(asked)}::json) as b (id text, "spaceId" text, starts text)
    left join lateral (
      select sum(t.spent) as spent, sum(t.requests) as requests, count(distinct t.value_id) as values
      from budget_parts t where t.budget_id = b.id and t.starts = b.starts) p on true`);
  return new Map(
    rows.map(({ id, raised, spent, reserved, requests, values }) => {
      const amounts = {
        raised: parseUnits(raised),
        spent: parseUnits(spent),
        reserved: parseUnits(reserved),
      };
      return [id, { ...amounts, requests, values }];
    }),
  );
}

export interface ValueUsage {
  readonly valueId: string;
  /** Of keys the name, of members the e-mail address. Null: values that are too long to be kept. */
  readonly value: string | null;
  readonly spent: Units;
  /** What was added for this window. */
  readonly raised: Units;
  readonly requests: number;
}

const mostSpentFirst = new ListOrder('values of a budget', ['units', 'text']);

/** The values of a budget in its present window, those first that have spent most. */
export async function readValuePage(
  db: Queryable,
  {
    budget,
    now,
    after,
    limit,
  }: { budget: Pick<Budget, 'id' | 'per' | 'period'>; now: Instant } & PageRequest,
): Promise<Page<ValueUsage>> {
  const position = mostSpentFirst.position(after);
  const window = windowOf(budget.period, now);
  const following =
    position === null
      ? sql`true`
      : sql`(sum(p.spent), p.value_id) < (${position[0]}::numeric, ${position[1]})`;
  const rows = await db.query<Omit<ValueUsage, 'spent' | 'raised'> & { spent: string; raised: string }>(sql`
    select t."valueId", t.spent, t.requests, coalesce(
        case ${budget.per ?? ''} when ${PER_KEY} then (select k.name from keys k where k.id = t.value)
          when ${PER_MEMBER} then (select m.email from members m where m.id = t.value) end, t.value) as value,
      coalesce((select r.amount from budget_raises r
        where r.budget_id = ${budget.id} and r.starts = ${window} and r.value_id = t."valueId"), 0) as raised
    from (
      select p.value_id as "valueId", max(p.value) as value, sum(p.spent) as spent, sum(p.requests)::bigint as requests
      from budget_parts p where p.budget_id = ${budget.id} and p.starts = ${window}
      group by p.value_id having ${following}
      order by sum(p.spent) desc, p.value_id desc limit ${limit + 1}) t
    order by t.spent desc, t."valueId" desc`);
  const read = rows.map((row) => ({
    ...row,
    spent: parseUnits(row.spent),
    raised: parseUnits(row.raised),
  }));
  return mostSpentFirst.page(read, limit, ({ spent, valueId }) => [printUnits(spent), valueId]);
}

/** Forgets days and weeks that began before. Returns how many rows were removed. */
export async function removeOldBudgetParts(
  db: Queryable,
  { before, rowsMax }: { before: string; rowsMax: number },
): Promise<number> {
  const [row] = await db.query<{ removed: number }>(sql`
    with gone as (
      delete from budget_parts where ctid = any (array(
        select ctid from budget_parts where starts <> '' and starts < ${before} and length(starts) = ${before.length}
        limit ${rowsMax} for update skip locked))
      returning 1)
    select count(*) as removed from gone`);
  return row?.removed ?? 0;
}
