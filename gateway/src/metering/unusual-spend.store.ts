/**
 * Notices keys that spend much more in a day than they did. Totals are kept by month and key: what a key has spent of its month
 * is noted at every look, so calls cost nothing more.
 */
import { watchedSpaces } from '../alerts/alert-settings.store.ts';
import type { Notice } from '../alerts/notice.ts';
import { noticeInSpaces } from '../alerts/notice-in-spaces.store.ts';
import { json, type Sql, sql } from '../database/sql.ts';
import { dayOf, type Instant, monthOf } from '../kernel/time.ts';

/** A day is compared with the days before it. */
const PAST_DAYS = 14;
/** A key that spent on fewer of them has no past yet. */
const USED_DAYS_LEAST = 3;
/** Of the mean of these days. The most expensive of them has to be passed too. */
const TIMES = [3, 10];
const KEPT_DAYS = 40;

/** What the key of `d` had spent of the same month when the day before `d` ended. */
const SPENT_BEFORE = sql`coalesce((select max(e.spent) from key_days e
  where e.key_id = d.key_id and e.day < d.day and e.day >= date_trunc('month', d.day)), 0)`;

/** What keys of watched spaces have spent this month. */
function spentIn(watched: Sql, now: Instant): Sql {
  return sql`
    select k.id, k.name, w.id as space_id, w.name as space, sum(p.cost + p.provisional) as units
    from (${watched}) w join keys k on k.space_id = w.id and k.revoked_at is null
    join month_parts p on p.space_id = w.id and p.month = ${monthOf(now)} and p.key_id = k.id
    group by k.id, w.id, w.name`;
}

interface UnusualDay {
  readonly key: string;
  readonly spent: string;
  readonly mean: string;
}

const noticeUnusualDays = noticeInSpaces<UnusualDay>(
  'spend.unusual',
  (watched, now) => {
    const day = sql`${dayOf(now)}::date`;
    return sql`
    with spent as (${spentIn(watched, now)}),
    past as (
      select d.key_id, sum(d.spent - before.spent) / ${PAST_DAYS}::integer as mean, max(d.spent - before.spent) as most,
        count(*) filter (where d.spent > before.spent) as used
      from spent s join key_days d on d.key_id = s.id and d.day < ${day} and d.day >= ${day} - ${PAST_DAYS}::integer
      cross join lateral (select ${SPENT_BEFORE} as spent) before
      group by d.key_id),
    today as (
      select s.*, s.units - (select coalesce(max(d.spent), 0) from key_days d
        where d.key_id = s.id and d.day < ${day} and d.day >= date_trunc('month', ${day})) as spent
      from spent s)
    select t.space_id as "spaceId", t.space, t.id as subject, ${dayOf(now)}::text as period, n.times::text as threshold,
      n.times as step, t.name as key, trim_scale(t.spent)::text as spent, trim_scale(round(p.mean, 12))::text as mean
    from today t join past p on p.key_id = t.id and p.used >= ${USED_DAYS_LEAST}::integer
    cross join json_to_recordset(${json(TIMES.map((times) => ({ times })))}::json) as n (times integer)
    where t.spent > p.most and t.spent >= p.mean * n.times`;
  },
  ({ space, subject, period, step, key, spent, mean }) => {
    return { space, key, key_id: subject, day: period, spent, mean, times: step };
  },
);

export const noticeUnusualSpend: Notice = async (tx, now) => {
  const day = sql`${dayOf(now)}::date`;
  await tx.query(sql`delete from key_days where day < ${day} - ${KEPT_DAYS}::integer`);
  await tx.query(sql`
    insert into key_days as d (key_id, day, spent)
    select id, ${day}, units from (${spentIn(watchedSpaces('spend.unusual'), now)}) s order by id
    on conflict (key_id, day) do update set spent = excluded.spent where d.spent <> excluded.spent`);
  return await noticeUnusualDays(tx, now);
};
