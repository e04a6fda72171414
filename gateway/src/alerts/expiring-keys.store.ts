/** Notices keys that will expire. */
import { timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { type Instant, kstOf } from '../kernel/time.ts';
import { noticeInSpaces } from './notice-in-spaces.store.ts';

/** For keys that lived longer than the warning is early. */
export const noticeExpiringKeys = noticeInSpaces<{ readonly name: string; readonly endsAt: Instant }>(
  'key.expiring',
  (watched, now) => sql`
    select w.id as "spaceId", w.name as space, k.id as subject, k.period, d.days::text as threshold, d.days as step,
      k.name, k.ends_at as "endsAt"
    from (${watched}) w
    join lateral (select k.id, k.name, k.created_at, least(k.expires_at, k.ends_at) as ends_at,
        extract(epoch from least(k.expires_at, k.ends_at))::bigint::text as period
      from keys k where k.space_id = w.id and k.revoked_at is null and k.disabled_at is null) k
      on k.ends_at > ${timestamp(now)}
    cross join lateral unnest(w."expiryDays") d (days)
    where k.ends_at <= ${timestamp(now)}::timestamptz + make_interval(days => d.days)
      and k.ends_at > k.created_at + make_interval(days => d.days)`,
  ({ space, subject, name, endsAt, step }) => ({
    space,
    key: name,
    key_id: subject,
    expires_at: kstOf(endsAt),
    days: step,
  }),
);
