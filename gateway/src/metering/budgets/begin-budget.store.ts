/**
 * What a new budget counts already: what its window has cost before it was set. Months and all time are read from totals, days
 * and weeks from their calls.
 */
import type { SpaceBudget } from '../../access/budget.ts';
import { type Transaction, timestamp } from '../../database/database.ts';
import { LONG_ANSWER_MS } from '../../database/deadlines.ts';
import { allOf, type Sql, sql, within } from '../../database/sql.ts';
import { boundsOf, windowOf } from '../../kernel/period.ts';
import type { Instant } from '../../kernel/time.ts';
import { END_USER, SESSION, tagDimension } from '../attribution/attribution.ts';
import { idOfText, valuesOf } from '../attribution/attributions.store.ts';
import { chargedCalls } from '../charged-calls.store.ts';
import { isPerDimension, NOT_KEPT, PER_KEY, PER_MEMBER, PER_MODEL } from './match-budgets.ts';

export async function beginBudget(tx: Transaction, budget: SpaceBudget, now: Instant): Promise<void> {
  const starts = windowOf(budget.period, now);
  const value = valueIn(budget.per);
  const counted = sql`
    select ${value ?? sql`null::text`} as value, t.requests, t.spent
    from (${costsOf(budget, starts, now)}) t join keys k on k.id = t.key_id
    where ${allOf(conditionsOf(budget))}`;
  const id = value === null ? sql`''` : sql`coalesce(${idOfText(sql`c.value`)}, ${NOT_KEPT})`;
  await tx.query(
    within(
      LONG_ANSWER_MS,
      sql`
    insert into budget_parts as t (budget_id, starts, value_id, space_id, value, requests, spent)
    select ${budget.id}, ${starts}, ${id}, ${budget.spaceId}, c.value, sum(c.requests), sum(c.spent)
    from (${counted}) c group by c.value having sum(c.requests) > 0 order by 3`,
    ),
  );
}

/** Rows with `key_id`, `model`, `dimensions`, `requests` and `spent`. */
function costsOf(budget: SpaceBudget, starts: string, now: Instant): Sql {
  const { spaceId, period } = budget;
  if (period === 'day' || period === 'week') {
    const from = boundsOf(period, starts).from ?? now;
    // One that begins now is not charged yet.
    const [soon, late] = chargedCalls(sql`c`, { from, until: now + 1 });
    const charged = (ids: Sql): Sql => sql`
      select c.key_id, c.model, (${valuesOf(sql`c.space_id`, sql`c.attribution`)}) as dimensions, 1 as requests,
        coalesce((select x.cost_after from corrections x where x.space_id = c.space_id and x.call_id = c.id
          order by x.id desc limit 1), c.cost, c.provisional, 0) as spent
      from calls c
      where c.space_id = ${spaceId} and ${ids} and c.charged_at >= ${timestamp(from)} and c.outcome <> 'failed'`;
    return sql`${charged(soon)} union all ${charged(late)}`;
  }
  const ofMonth = period === 'month' ? sql`and p.month = ${starts}` : sql``;
  if (!isAttributed(budget))
    return sql`
      select p.key_id, p.model, null::jsonb as dimensions, p.requests, p.cost + p.provisional as spent
      from month_parts p where p.space_id = ${spaceId} ${ofMonth}`;
  return sql`
    select p.key_id, p.model, (${valuesOf(sql`p.space_id`, sql`p.attribution`)}) as dimensions, p.requests, p.cost as spent
    from attributed_months p where p.space_id = ${spaceId} ${ofMonth}`;
}

function isAttributed({ per, endUser, session, tags }: SpaceBudget): boolean {
  return isPerDimension(per) || endUser !== null || session !== null || Object.keys(tags).length > 0;
}

function conditionsOf(budget: SpaceBudget): Sql[] {
  const { keyId, memberId, model, endUser, session, tags, per } = budget;
  const values = [
    [END_USER, endUser],
    [SESSION, session],
    ...Object.entries(tags).map(([key, value]) => [tagDimension(key), value]),
  ] as ReadonlyArray<[string, string | null]>;
  return [
    sql`true`,
    ...(keyId === null ? [] : [sql`t.key_id = ${keyId}`]),
    ...(memberId === null ? [] : [sql`k.member_id = ${memberId}`]),
    ...(model === null ? [] : [sql`t.model = ${model}`]),
    ...values.flatMap(([name, value]) => (value === null ? [] : [sql`t.dimensions ->> ${name} = ${value}`])),
    ...(per === PER_MEMBER ? [sql`k.member_id is not null`] : []),
    ...(isPerDimension(per) ? [sql`jsonb_exists(t.dimensions, ${per})`] : []),
  ];
}

/** Null: one for all. */
function valueIn(per: string | null): Sql | null {
  if (per === null) return null;
  if (per === PER_KEY) return sql`t.key_id`;
  if (per === PER_MEMBER) return sql`k.member_id`;
  return per === PER_MODEL ? sql`t.model` : sql`t.dimensions ->> ${per}`;
}
