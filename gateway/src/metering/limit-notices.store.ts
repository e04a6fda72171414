/** Notices how much of monthly limits is used, and calls without a price. */
import { noticeInSpaces } from '../alerts/notice-in-spaces.store.ts';
import { timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { monthOf, printMonthEnd } from '../kernel/time.ts';

interface UsedLimit {
  readonly of: 'key' | 'member';
  readonly name: string;
  readonly cap: string;
  readonly spent: string;
}

/** A changed limit has thresholds of its own: who raises it is warned before the new one too. */
export const noticeUsedLimits = noticeInSpaces<UsedLimit>(
  'limit.reached',
  (watched, now) => sql`
    with watched as (${watched}),
    limited as (
      select k.id, k.space_id, k.name, k.month_limit, k.revoked_at, m.id as member_id, m.email, m.month_limit as member_limit
      from watched w join keys k on k.space_id = w.id
      left join members m on m.id = k.member_id and m.removed_at is null and m.month_limit > 0
      where k.month_limit > 0 or m.id is not null),
    spent as (
      select p.key_id, sum(p.cost + p.provisional) as units from limited l
      join month_parts p on p.space_id = l.space_id and p.month = ${monthOf(now)} and p.key_id = l.id group by p.key_id),
    used as (
      select l.space_id, 'key' as of, l.id, l.name, l.month_limit as cap, s.units
      from limited l join spent s on s.key_id = l.id where l.month_limit > 0 and l.revoked_at is null
      union all
      select l.space_id, 'member', l.member_id, l.email, l.member_limit, sum(s.units)
      from limited l join spent s on s.key_id = l.id where l.member_id is not null
      group by l.space_id, l.member_id, l.email, l.member_limit)
    select w.id as "spaceId", w.name as space, u.id as subject, ${monthOf(now)}::text as period,
      p.percent || '% of ' || trim_scale(u.cap)::text as threshold, p.percent as step,
      u.of, u.name, trim_scale(u.cap)::text as cap, trim_scale(u.units)::text as spent
    from used u join watched w on w.id = u.space_id
    cross join lateral unnest(w."limitPercents") p (percent)
    where u.units * 100 >= u.cap * p.percent`,
  ({ space, subject, period, of, name, step, cap, spent }) => ({
    space,
    ...(of === 'key' ? { key: name, key_id: subject } : { member: name, member_id: subject }),
    percent: step,
    limit: cap,
    spent,
    month: period,
    resets_at: printMonthEnd(period),
  }),
);

/** Once for each model and day. */
export const noticeUnpricedCalls = noticeInSpaces<{ readonly calls: number }>(
  'calls.unpriced',
  (watched, now) => sql`
    select w.id as "spaceId", w.name as space, p.model as subject, p.day::text as period, '' as threshold, 0 as step,
      sum(p.unpriced)::integer as calls
    from (${watched}) w join day_parts p on p.space_id = w.id
    where p.day >= korean_day(${timestamp(now)}) - 1 and p.unpriced > 0
    group by w.id, w.name, p.model, p.day`,
  ({ space, subject, period, calls }) => ({ space, model: subject, day: period, calls }),
);
