/** Notices how much of monthly limits is used, and calls without a price. */
import { watchedSpaces } from '../alerts/alert-settings.store.ts';
import { isNew } from '../alerts/events.store.ts';
import { NOTICED_MAX, type Notice } from '../alerts/notice.ts';
import { timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { monthOf, printMonthEnd } from '../kernel/time.ts';

interface UsedLimit {
  readonly spaceId: string;
  readonly space: string;
  readonly of: 'key' | 'member';
  readonly id: string;
  readonly name: string;
  readonly cap: string;
  readonly spent: string;
  readonly percent: number;
  readonly threshold: string;
}

/** A changed limit has thresholds of its own: who raises it is warned before the new one too. */
export const noticeUsedLimits: Notice = async (tx, now) => {
  const kind = 'limit.reached' as const;
  const month = monthOf(now);
  const rows = await tx.query<UsedLimit>(sql`
    with watched as (${watchedSpaces(kind)}),
    limited as (
      select k.id, k.space_id, k.name, k.month_limit, k.revoked_at, m.id as member_id, m.email, m.month_limit as member_limit
      from watched w join keys k on k.space_id = w.id
      left join members m on m.id = k.member_id and m.removed_at is null and m.month_limit > 0
      where k.month_limit > 0 or m.id is not null),
    spent as (
      select p.key_id, sum(p.cost + p.provisional) as units from limited l
      join month_parts p on p.space_id = l.space_id and p.month = ${month} and p.key_id = l.id group by p.key_id),
    used as (
      select l.space_id, 'key' as of, l.id, l.name, l.month_limit as cap, s.units
      from limited l join spent s on s.key_id = l.id where l.month_limit > 0 and l.revoked_at is null
      union all
      select l.space_id, 'member', l.member_id, l.email, l.member_limit, sum(s.units)
      from limited l join spent s on s.key_id = l.id where l.member_id is not null
      group by l.space_id, l.member_id, l.email, l.member_limit)
    select w.id as "spaceId", w.name as space, u.of, u.id, u.name, trim_scale(u.cap)::text as cap,
      trim_scale(u.units)::text as spent, t.percent, t.threshold
    from used u join watched w on w.id = u.space_id
    cross join lateral (select p.percent, p.percent || '% of ' || trim_scale(u.cap)::text as threshold
      from unnest(w."limitPercents") p (percent)) t
    where u.units * 100 >= u.cap * t.percent
      and ${isNew({ kind, space: sql`w.id`, subject: sql`u.id`, period: sql`${month}::text`, threshold: sql`t.threshold` })}
    order by u.id, t.percent limit ${NOTICED_MAX}`);
  return rows.map(({ spaceId, space, of, id, name, cap, spent, percent, threshold }) => ({
    kind,
    spaceId,
    subject: id,
    period: month,
    threshold,
    data: {
      space,
      ...(of === 'key' ? { key: name, key_id: id } : { member: name, member_id: id }),
      percent,
      limit: cap,
      spent,
      month,
      resets_at: printMonthEnd(month),
    },
  }));
};

/** Once for each model and day. */
export const noticeUnpricedCalls: Notice = async (tx, now) => {
  const kind = 'calls.unpriced' as const;
  const rows = await tx.query<{
    spaceId: string;
    space: string;
    model: string;
    day: string;
    calls: number;
  }>(sql`
    select w.id as "spaceId", w.name as space, p.model, p.day::text as day, sum(p.unpriced)::integer as calls
    from (${watchedSpaces(kind)}) w join day_parts p on p.space_id = w.id
    where p.day >= korean_day(${timestamp(now)}) - 1 and p.unpriced > 0
      and ${isNew({ kind, space: sql`w.id`, subject: sql`p.model`, period: sql`p.day::text`, threshold: sql`''` })}
    group by w.id, w.name, p.model, p.day order by w.id, p.model, p.day limit ${NOTICED_MAX}`);
  return rows.map(({ spaceId, space, model, day, calls }) => ({
    kind,
    spaceId,
    subject: model,
    period: day,
    threshold: '',
    data: { space, model, day, calls },
  }));
};
