/** Notices keys that will expire. */
import { timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { type Instant, kstOf } from '../kernel/time.ts';
import { watchedSpaces } from './alert-settings.store.ts';
import { isNew } from './events.store.ts';
import { NOTICED_MAX, type Notice } from './notice.ts';

/** For keys that lived longer than the warning is early. */
export const noticeExpiringKeys: Notice = async (tx, now) => {
  const kind = 'key.expiring' as const;
  const at = timestamp(now);
  const rows = await tx.query<{
    spaceId: string;
    space: string;
    id: string;
    name: string;
    endsAt: Instant;
    period: string;
    days: number;
  }>(sql`
    select w.id as "spaceId", w.name as space, k.id, k.name, k.ends_at as "endsAt", k.period, d.days
    from (${watchedSpaces(kind)}) w
    join lateral (select k.id, k.name, k.created_at, least(k.expires_at, k.ends_at) as ends_at,
        extract(epoch from least(k.expires_at, k.ends_at))::bigint::text as period
      from keys k where k.space_id = w.id and k.revoked_at is null and k.disabled_at is null) k on k.ends_at > ${at}
    cross join lateral unnest(w."expiryDays") d (days)
    where k.ends_at <= ${at}::timestamptz + make_interval(days => d.days)
      and k.ends_at > k.created_at + make_interval(days => d.days)
      and ${isNew({ kind, space: sql`w.id`, subject: sql`k.id`, period: sql`k.period`, threshold: sql`d.days::text` })}
    order by k.id, d.days limit ${NOTICED_MAX}`);
  return rows.map(({ spaceId, space, id, name, endsAt, period, days }) => ({
    kind,
    spaceId,
    subject: id,
    period,
    threshold: String(days),
    data: { space, key: name, key_id: id, expires_at: kstOf(endsAt), days },
  }));
};
