/** The rows of jobs: what is to be done, by when, and who is at it. */
import { type Database, type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { CALL_ANSWER_MS } from '../database/deadlines.ts';
import { sql, within } from '../database/sql.ts';
import { LeaseLost } from '../kernel/lease-lost.ts';
import type { Instant } from '../kernel/time.ts';

/** A job in the hands of one process. Its epoch proves that it still is. */
export interface HeldJob {
  readonly kind: string;
  /** The id of what it is about. */
  readonly subject: string;
  readonly epoch: number;
  /** Times in a row that it went wrong. */
  readonly failures: number;
}

/** Another process has the job now, or it is done. Nothing more may be written for it here. */
export class JobLeaseLost extends LeaseLost {
  override readonly name = 'JobLeaseLost';
}

/** Goes into the transaction that makes the work necessary. A job that is there already becomes due. */
export async function enqueueJob(
  tx: Transaction,
  job: { kind: string; subject: string; dueAt: Instant; now: Instant },
): Promise<void> {
  await tx.query(sql`
    insert into jobs (kind, subject, due_at, created_at)
    values (${job.kind}, ${job.subject}, ${timestamp(job.dueAt)}, ${timestamp(job.now)})
    on conflict (kind, subject) do update set due_at = least(jobs.due_at, excluded.due_at)`);
}

/** Takes jobs that are due and that nobody holds, or nobody any more: null for `expiredBefore` leaves those. */
export async function claimJobs(
  db: Queryable,
  claim: {
    kinds: readonly string[];
    now: Instant;
    expiredBefore: Instant | null;
    leaseUntil: Instant;
    jobsMax: number;
  },
): Promise<HeldJob[]> {
  const now = timestamp(claim.now);
  const expired = claim.expiredBefore === null ? null : timestamp(claim.expiredBefore);
  return await db.query<HeldJob>(sql`
    update jobs set epoch = jobs.epoch + 1, lease_until = ${timestamp(claim.leaseUntil)}
    from (
      select kind, subject from jobs
      where kind = any (${claim.kinds}) and due_at <= ${now} and (lease_until is null or lease_until <= ${expired}::timestamptz)
      order by due_at limit ${claim.jobsMax} for update skip locked
    ) free
    where jobs.kind = free.kind and jobs.subject = free.subject
    returning jobs.kind, jobs.subject, jobs.epoch, jobs.failures`);
}

/** False when the job is no longer ours. */
export async function renewJob(db: Queryable, job: HeldJob, leaseUntil: Instant): Promise<boolean> {
  const statement = sql`
    update jobs set lease_until = ${timestamp(leaseUntil)}
    where kind = ${job.kind} and subject = ${job.subject} and epoch = ${job.epoch} returning kind`;
  // One that hangs must leave time for another before the lease is over.
  const rows = await db.query(within(CALL_ANSWER_MS, statement));
  return rows.length > 0;
}

/** Goes before the change of what a job is about, so that all take the two in one order (LOCKS.md). */
export async function lockJob(tx: Transaction, job: { kind: string; subject: string }): Promise<void> {
  await tx.query(sql`select 1 from jobs where kind = ${job.kind} and subject = ${job.subject} for update`);
}

/** Keeps the job ours until the transaction ends; throws JobLeaseLost when it is not ours. */
export async function holdJob(tx: Transaction, job: HeldJob): Promise<void> {
  const rows = await tx.query(sql`
    select 1 from jobs
    where kind = ${job.kind} and subject = ${job.subject} and epoch = ${job.epoch} for update`);
  if (rows.length === 0) throw new JobLeaseLost(`${job.kind} ${job.subject}`);
}

/** Runs a transaction that has an effect only if the job is still ours. */
export function withLease<T>(db: Database, job: HeldJob, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await holdJob(tx, job);
    return await work(tx);
  });
}

/** The work is done. */
export async function endJob(tx: Queryable, job: HeldJob): Promise<void> {
  const rows = await tx.query(sql`
    delete from jobs where kind = ${job.kind} and subject = ${job.subject} and epoch = ${job.epoch} returning kind`);
  if (rows.length === 0) throw new JobLeaseLost(`${job.kind} ${job.subject}`);
}

/** Lets go of a job, to be taken up again at `dueAt`; `failure` says what went wrong, if something did. */
export async function releaseJob(
  db: Queryable,
  job: HeldJob,
  next: { dueAt: Instant; failure: string | null },
): Promise<void> {
  const failures = next.failure === null ? 0 : job.failures + 1;
  await db.query(sql`
    update jobs set due_at = ${timestamp(next.dueAt)}, lease_until = null, failures = ${failures},
      last_error = ${next.failure}
    where kind = ${job.kind} and subject = ${job.subject} and epoch = ${job.epoch}`);
}
