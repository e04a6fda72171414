/** Counts what the sweeps would remove now. */
import { countAuditBefore } from '../access/audit.store.ts';
import { countOldEvents } from '../alerts/events.store.ts';
import { type Queryable, timestamp } from '../database/database.ts';
import { LONG_ANSWER_MS } from '../database/deadlines.ts';
import { sql, within } from '../database/sql.ts';
import { DAY_MS } from '../kernel/durations.ts';
import type { Instant } from '../kernel/time.ts';
import { sumRemovableCalls } from '../metering/remove-calls.store.ts';
import type { RetentionDays } from './retention.ts';

export interface DueRows {
  readonly what: string;
  readonly rows: number;
}

export async function countDue(db: Queryable, now: Instant, days: RetentionDays): Promise<DueRows[]> {
  const at = timestamp(now);
  const due = await db.query<DueRows>(
    within(
      LONG_ANSWER_MS,
      sql`
    select 'files' as what, count(*) as rows from files where expires_at <= ${at} and not exists (
      select 1 from batches where input_file_id = files.id and settlement_status <> 'settled')
    union all select 'references', count(*) from reference_files where expires_at <= ${at}
    union all select 'media', count(*) from media where expires_at <= ${at}
    union all select 'abandoned files', count(*) from pending_blobs where lease_until <= ${at}
    union all select 'kept responses', count(*) from kept_responses where expires_at <= ${at}
    union all select 'idempotency keys', count(*) from idempotency_keys where expires_at <= ${at}
    union all select 'answers for repeats', count(*) from repeatable_calls where expires_at <= ${at}
    union all select 'grants with expired units', count(*) from grants where remaining > 0 and expires_at <= ${at}
    union all select 'errors', count(*) from refusals where at < ${timestamp(now - days.errors * DAY_MS)}`,
    ),
  );
  const old = days.calls === null ? null : { from: 0, until: now - days.calls * DAY_MS };
  const calls = old === null ? 0 : (await sumRemovableCalls(db, old)).calls;
  const audit = days.audit === null ? 0 : await countAuditBefore(db, now - days.audit * DAY_MS);
  const alerts = await countOldEvents(db, now - days.alerts * DAY_MS);
  return [
    ...due,
    { what: 'calls', rows: calls },
    { what: 'audit lines', rows: audit },
    { what: 'alerts', rows: alerts },
  ];
}
