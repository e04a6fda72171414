/** Notices how much of budgets is used. */
import { noticeInSpaces } from '../../alerts/notice-in-spaces.store.ts';
import { json, sql } from '../../database/sql.ts';
import { type Period, periods, printWindowEnd, windowOf } from '../../kernel/period.ts';
import { PER_KEY, PER_MEMBER } from './match-budgets.ts';

interface UsedBudget {
  readonly id: string;
  readonly name: string;
  readonly window: Period;
  /** Of keys the name, of members the e-mail address. */
  readonly value: string | null;
  readonly amount: string;
  readonly spent: string;
}

/** Once for each window, value and threshold. A changed budget has thresholds of its own, as a changed limit has. */
export const noticeUsedBudgets = noticeInSpaces<UsedBudget>(
  'budget.reached',
  (watched, now) => {
    const windows = json(periods.map((period) => ({ period, starts: windowOf(period, now) })));
    return sql`
    with watched as (${watched}),
    used as (
      select b.id, b.space_id, b.name, b.period, n.starts, p.value_id, b.per, max(p.value) as value, sum(p.spent) as spent,
        b.amount + coalesce((select r.amount from budget_raises r
          where r.budget_id = b.id and r.starts = n.starts and r.value_id = p.value_id), 0) as amount
      from watched w join budgets b on b.space_id = w.id and b.removed_at is null
      join json_to_recordset(${windows}::json) as n (period text, starts text) on n.period = b.period
      join budget_parts p on p.budget_id = b.id and p.starts = n.starts
      group by b.id, n.starts, p.value_id)
    select w.id as "spaceId", w.name as space, concat_ws('.', u.id, nullif(u.value_id, '')) as subject, u.starts as period,
      p.percent || '% of ' || trim_scale(u.amount)::text as threshold, p.percent as step, u.id, u.name, u.period as window,
      coalesce(case u.per when ${PER_KEY} then (select k.name from keys k where k.id = u.value)
        when ${PER_MEMBER} then (select m.email from members m where m.id = u.value) end, u.value) as value,
      trim_scale(u.amount)::text as amount, trim_scale(u.spent)::text as spent
    from used u join watched w on w.id = u.space_id
    cross join lateral unnest(w."limitPercents") p (percent)
    where u.spent * 100 >= u.amount * p.percent`;
  },
  ({ space, id, name, window, period, value, step, amount, spent }) => {
    const resetsAt = printWindowEnd(window, period);
    return {
      space,
      budget: name,
      budget_id: id,
      ...(value !== null && { value }),
      percent: step,
      amount,
      spent,
      ...(resetsAt !== null && { resets_at: resetsAt }),
    };
  },
);
