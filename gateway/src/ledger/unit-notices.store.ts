/** Notices spaces whose units run low or expire. */
import { noticeInSpaces } from '../alerts/notice-in-spaces.store.ts';
import { timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { type Instant, kstOf, monthOf } from '../kernel/time.ts';
import { settledHolding } from './settle.store.ts';

/** Once in a month, and again after new units were granted. */
export const noticeLowBalances = noticeInSpaces<{ readonly left: string; readonly atMost: string }>(
  'balance.low',
  (watched, now) => sql`
    select w.id as "spaceId", w.name as space, w.id as subject, g.period, t.threshold, 0 as step,
      trim_scale(h.promo + h.paid)::text as left, trim_scale(t.at_most)::text as "atMost"
    from (${watched}) w
    cross join lateral (select g.amount, ${monthOf(now)}::text || ' ' || g.id as period from grants g
      where g.space_id = w.id order by g.id desc limit 1) g
    cross join lateral (${settledHolding(sql`w.id`, now)}) h
    cross join lateral (
      select w."balanceUnits"::numeric as at_most, w."balanceUnits" as threshold where w."balanceUnits" is not null
      union all
      select g.amount * w."balancePercent" / 100, w."balancePercent" || '%' where w."balancePercent" is not null) t
    where not h.edge and h.promo + h.paid <= t.at_most`,
  ({ space, left, atMost }) => ({ space, left, at_most: atMost }),
);

export const noticeExpiringUnits = noticeInSpaces<{
  readonly remaining: string;
  readonly expiresAt: Instant;
}>(
  'units.expiring',
  (watched, now) => sql`
    select w.id as "spaceId", w.name as space, g.id as subject, '' as period, d.days::text as threshold, d.days as step,
      trim_scale(g.remaining)::text as remaining, g.expires_at as "expiresAt"
    from (${watched}) w
    join grants g on g.space_id = w.id and g.remaining > 0 and g.expires_at > ${timestamp(now)}
    cross join lateral unnest(w."expiryDays") d (days)
    where g.expires_at <= ${timestamp(now)}::timestamptz + make_interval(days => d.days)
      and g.expires_at > g.created_at + make_interval(days => d.days)`,
  ({ space, subject, remaining, expiresAt, step }) => ({
    space,
    grant_id: subject,
    units: remaining,
    expires_at: kstOf(expiresAt),
    days: step,
  }),
);
