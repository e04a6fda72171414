/** Notices spaces whose units run low or expire. */
import { watchedSpaces } from '../alerts/alert-settings.store.ts';
import { isNew } from '../alerts/events.store.ts';
import { NOTICED_MAX, type Notice } from '../alerts/notice.ts';
import { timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { type Instant, kstOf, monthOf } from '../kernel/time.ts';
import { settledHolding } from './settle.store.ts';

interface LowBalance {
  readonly spaceId: string;
  readonly space: string;
  readonly left: string;
  readonly atMost: string;
  readonly threshold: string;
  readonly period: string;
}

/** Once in a month, and again after new units were granted. */
export const noticeLowBalances: Notice = async (tx, now) => {
  const kind = 'balance.low' as const;
  const month = monthOf(now);
  const rows = await tx.query<LowBalance>(sql`
    select w.id as "spaceId", w.name as space, trim_scale(h.promo + h.paid)::text as left,
      trim_scale(t.at_most)::text as "atMost", t.threshold, g.period
    from (${watchedSpaces(kind)}) w
    cross join lateral (select g.amount, ${month}::text || ' ' || g.id as period from grants g
      where g.space_id = w.id order by g.id desc limit 1) g
    cross join lateral (${settledHolding(sql`w.id`, now)}) h
    cross join lateral (
      select w."balanceUnits"::numeric as at_most, w."balanceUnits" as threshold where w."balanceUnits" is not null
      union all
      select g.amount * w."balancePercent" / 100, w."balancePercent" || '%' where w."balancePercent" is not null) t
    where not h.edge and h.promo + h.paid <= t.at_most
      and ${isNew({ kind, space: sql`w.id`, subject: sql`w.id`, period: sql`g.period`, threshold: sql`t.threshold` })}
    order by w.id, t.threshold limit ${NOTICED_MAX}`);
  return rows.map(({ spaceId, space, left, atMost, threshold, period }) => ({
    kind,
    spaceId,
    subject: spaceId,
    period,
    threshold,
    data: { space, left, at_most: atMost },
  }));
};

export const noticeExpiringUnits: Notice = async (tx, now) => {
  const kind = 'units.expiring' as const;
  const at = timestamp(now);
  const rows = await tx.query<{
    spaceId: string;
    space: string;
    id: string;
    remaining: string;
    expiresAt: Instant;
    days: number;
  }>(sql`
    select w.id as "spaceId", w.name as space, g.id, trim_scale(g.remaining)::text as remaining,
      g.expires_at as "expiresAt", d.days
    from (${watchedSpaces(kind)}) w
    join grants g on g.space_id = w.id and g.remaining > 0 and g.expires_at > ${at}
    cross join lateral unnest(w."expiryDays") d (days)
    where g.expires_at <= ${at}::timestamptz + make_interval(days => d.days)
      and g.expires_at > g.created_at + make_interval(days => d.days)
      and ${isNew({ kind, space: sql`w.id`, subject: sql`g.id`, period: sql`''`, threshold: sql`d.days::text` })}
    order by g.id, d.days limit ${NOTICED_MAX}`);
  return rows.map(({ spaceId, space, id, remaining, expiresAt, days }) => ({
    kind,
    spaceId,
    subject: id,
    period: '',
    threshold: String(days),
    data: { space, grant_id: id, units: remaining, expires_at: kstOf(expiresAt), days },
  }));
};
