/** The background work of the whole installation that waits. */
import { type Queryable, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';

export interface WaitingJobs {
  readonly jobs: ReadonlyArray<{ kind: string; waiting: number; failing: number; oldestAt: Instant }>;
  readonly quarantined: number;
}

/** For the metrics: what has not ended, and since when. */
export async function readWaitingJobs(db: Queryable): Promise<WaitingJobs> {
  const jobs = await db.query<WaitingJobs['jobs'][number]>(sql`
    select kind, count(*) as waiting, count(*) filter (where failures > 0) as failing,
      min(created_at) as "oldestAt"
    from jobs group by kind order by kind`);
  const [batches] = await db.query<{ quarantined: number }>(sql`
    select count(*) as quarantined from batches where settlement_status = 'quarantined'`);
  return { jobs, quarantined: batches?.quarantined ?? 0 };
}

const OVERDUE_MS = 60_000;

interface Backlog {
  readonly jobs: Array<{ kind: string; waiting: number; overdue: number; failing: number }>;
  readonly unsettled_batches: number;
  readonly quarantined_batches: number;
}

export async function readBacklog(db: Queryable, now: Instant): Promise<Backlog> {
  const jobs = await db.query<Backlog['jobs'][number]>(sql`
    select kind, count(*) as waiting, count(*) filter (where failures > 0) as failing,
      count(*) filter (where due_at < ${timestamp(now - OVERDUE_MS)}
        and (lease_until is null or lease_until < ${timestamp(now)})) as overdue
    from jobs group by kind order by kind`);
  const [batches] = await db.query<{ unsettled: number; quarantined: number }>(sql`
    select count(*) filter (where status in ('completed', 'failed', 'cancelled', 'expired')) as unsettled,
      count(*) filter (where settlement_status = 'quarantined') as quarantined
    from batches where settlement_status <> 'settled'`);
  return {
    jobs,
    unsettled_batches: batches?.unsettled ?? 0,
    quarantined_batches: batches?.quarantined ?? 0,
  };
}
