/** The rows of jobs: the work to do, when it is due, and its lease. */
import { type Database, type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { CALL_ANSWER_MS } from '../database/deadlines.ts';
import { sql, within } from '../database/sql.ts';
import { LeaseLost } from '../kernel/lease-lost.ts';
import type { Instant } from '../kernel/time.ts';

/** A job that this process has leased. Its epoch proves the lease: every claim increases it. */
export interface LeasedJob {
  readonly kind: string;
  /** The id of the batch or video. */
  readonly subject: string;
  readonly epoch: number;
  /** Failures in a row. */
  readonly failures: number;
}

/** Another process has the job now, or it is done. Nothing more may be written for it here. */
export class JobLeaseLost extends LeaseLost {
  override readonly name = 'JobLeaseLost';
}

/** Call in the transaction that makes the work necessary. An existing job becomes due. */
export async function enqueueJob(
  tx: Transaction,
  job: { kind: string; subject: string; dueAt: Instant; now: Instant },
): Promise<void> {
  await tx.query(sql`
    insert into jobs (kind, subject, due_at, created_at)
    values (${job.kind}, ${job.subject}, ${timestamp(job.dueAt)}, ${timestamp(job.now)})
    on conflict (kind, subject) do update set due_at = least(jobs.due_at, excluded.due_at)`);
}

/** The same for many jobs that are due now. */
export async function enqueueJobs(
  tx: Transaction,
  { kind, subjects, now }: { kind: string; subjects: readonly string[]; now: Instant },
): Promise<void> {
  await tx.query(sql`
    insert into jobs (kind, subject, due_at, created_at)
    select ${kind}, s, ${timestamp(now)}, ${timestamp(now)} from unnest(${subjects}::text[]) s
    order by s on conflict (kind, subject) do update set due_at = least(jobs.due_at, excluded.due_at)`);
}

/** Claims due jobs that have no lease, or whose lease expired before `expiredBefore`. Null: only those without. */
export async function claimJobs(
  db: Queryable,
  claim: {
    kinds: readonly string[];
    now: Instant;
    expiredBefore: Instant | null;
    leaseUntil: Instant;
    jobsMax: number;
  },
): Promise<LeasedJob[]> {
  const now = timestamp(claim.now);
  const expired = claim.expiredBefore === null ? null : timestamp(claim.expiredBefore);
  return await db.query<LeasedJob>(sql`
    update jobs set epoch = jobs.epoch + 1, lease_until = ${timestamp(claim.leaseUntil)}
    from (
      select kind, subject from jobs
      where kind = any (${claim.kinds}) and due_at <= ${now} and (lease_until is null or lease_until <= ${expired}::timestamptz)
      order by due_at limit ${claim.jobsMax} for update skip locked
    ) free
    where jobs.kind = free.kind and jobs.subject = free.subject
    returning jobs.kind, jobs.subject, jobs.epoch, jobs.failures`);
}

/** False when the lease is lost. */
export async function renewJob(db: Queryable, job: LeasedJob, leaseUntil: Instant): Promise<boolean> {
  const statement = sql`
    update jobs set lease_until = ${timestamp(leaseUntil)}
    where kind = ${job.kind} and subject = ${job.subject} and epoch = ${job.epoch} returning kind`;
  // A renewal that hangs must leave time for another before the lease ends.
  const rows = await db.query(within(CALL_ANSWER_MS, statement));
  return rows.length > 0;
}

/** Locks the job before its batch or video, as the lock order requires (LOCKS.md). */
export async function lockJob(tx: Transaction, job: { kind: string; subject: string }): Promise<void> {
  await tx.query(sql`select 1 from jobs where kind = ${job.kind} and subject = ${job.subject} for update`);
}

/** Locks the lease until the transaction ends; throws JobLeaseLost when it is lost. */
export async function requireLease(tx: Transaction, job: LeasedJob): Promise<void> {
  const rows = await tx.query(sql`
    select 1 from jobs
    where kind = ${job.kind} and subject = ${job.subject} and epoch = ${job.epoch} for update`);
  if (rows.length === 0) throw new JobLeaseLost(`${job.kind} ${job.subject}`);
}

/** Runs a transaction that has no effect if the lease is lost. */
export function withLease<T>(
  db: Database,
  job: LeasedJob,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return db.transaction(async (tx) => {
    await requireLease(tx, job);
    return await work(tx);
  });
}

/** The work is done: deletes the job. */
export async function endJob(tx: Queryable, job: LeasedJob): Promise<void> {
  const rows = await tx.query(sql`
    delete from jobs where kind = ${job.kind} and subject = ${job.subject} and epoch = ${job.epoch} returning kind`);
  if (rows.length === 0) throw new JobLeaseLost(`${job.kind} ${job.subject}`);
}

/** Gives up the lease; the job is due again at `dueAt`. `failure` is the error, if there was one. */
export async function releaseJob(
  db: Queryable,
  job: LeasedJob,
  next: { dueAt: Instant; failure: string | null },
): Promise<void> {
  const failures = next.failure === null ? 0 : job.failures + 1;
  await db.query(sql`
    update jobs set due_at = ${timestamp(next.dueAt)}, lease_until = null, failures = ${failures},
      last_error = ${next.failure}
    where kind = ${job.kind} and subject = ${job.subject} and epoch = ${job.epoch}`);
}
