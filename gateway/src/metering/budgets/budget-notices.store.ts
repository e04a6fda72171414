/** Notices how much of budgets is used. */
import { watchedSpaces } from '../../alerts/alert-settings.store.ts';
import { isNew } from '../../alerts/events.store.ts';
import { NOTICED_MAX, type Notice } from '../../alerts/notice.ts';
import { json, sql } from '../../database/sql.ts';
import { type Period, periods, printWindowEnd, windowOf } from '../../kernel/period.ts';

interface UsedBudget {
  readonly spaceId: string;
  readonly space: string;
  readonly id: string;
  readonly name: string;
  readonly period: Period;
  readonly starts: string;
  readonly subject: string;
  readonly value: string | null;
  readonly amount: string;
  readonly spent: string;
  readonly percent: number;
  readonly threshold: string;
}

/** Once for each window, value and threshold. A changed budget has thresholds of its own, as a changed limit has. */
export const noticeUsedBudgets: Notice = async (tx, now) => {
  const kind = 'budget.reached' as const;
  const windows = json(periods.map((period) => ({ period, starts: windowOf(period, now) })));
  const rows = await tx.query<UsedBudget>(sql`
    with watched as (${watchedSpaces(kind)}),
    used as (
      select b.id, b.space_id, b.name, b.period, n.starts, p.value_id, b.per, max(p.value) as value, sum(p.spent) as spent,
        b.amount + coalesce((select r.amount from budget_raises r
          where r.budget_id = b.id and r.starts = n.starts and r.value_id = p.value_id), 0) as amount
      from watched w join budgets b on b.space_id = w.id and b.removed_at is null
      join json_to_recordset(${windows}::json) as n (period text, starts text) on n.period = b.period
      join budget_parts p on p.budget_id = b.id and p.starts = n.starts
      group by b.id, n.starts, p.value_id)
    select w.id as "spaceId", w.name as space, u.id, u.name, u.period, u.starts,
      case when u.value_id = '' then u.id else u.id || '.' || u.value_id end as subject,
      coalesce(case u.per when 'key' then (select k.name from keys k where k.id = u.value)
        when 'member' then (select m.email from members m where m.id = u.value) end, u.value) as value,
      trim_scale(u.amount)::text as amount, trim_scale(u.spent)::text as spent, t.percent, t.threshold
    from used u join watched w on w.id = u.space_id
    cross join lateral (select p.percent, p.percent || '% of ' || trim_scale(u.amount)::text as threshold
      from unnest(w."limitPercents") p (percent)) t
    where u.spent * 100 >= u.amount * t.percent
      and ${isNew({
        kind,
        space: sql`w.id`,
        subject: sql`case when u.value_id = '' then u.id else u.id || '.' || u.value_id end`,
        period: sql`u.starts`,
        threshold: sql`t.threshold`,
      })}
    order by u.id, u.value_id, t.percent limit ${NOTICED_MAX}`);
  return rows.map(
    ({ spaceId, space, id, name, period, starts, subject, value, amount, spent, percent, threshold }) => {
      const resetsAt = printWindowEnd(period, starts);
      return {
        kind,
        spaceId,
        subject,
        period: starts,
        threshold,
        data: {
          space,
          budget: name,
          budget_id: id,
          ...(value !== null && { value }),
          percent,
          amount,
          spent,
          ...(resetsAt !== null && { resets_at: resetsAt }),
        },
      };
    },
  );
};
