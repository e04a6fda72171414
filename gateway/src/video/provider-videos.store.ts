/**
 * What is known of a video at its provider. Each write holds the job, so that one who slept through their
 * lease writes nothing any more.
 */
import { type Database, type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { type HeldJob, holdJob } from '../jobs/jobs.store.ts';
import type { Instant } from '../kernel/time.ts';
import { sourcesOf } from './video-state.ts';

/** Goes before everything that is sent. */
export async function writeIntent(
  db: Database,
  job: HeldJob,
  intent: { provider: string; upstreamModel: string; at: Instant },
): Promise<void> {
  await held(db, job, async (tx) => {
    await tx.query(sql`
      update video_jobs set provider = ${intent.provider}, upstream_model = ${intent.upstreamModel},
        provider_sent_at = ${timestamp(intent.at)}
      where id = ${job.subject} and provider_job_id is null`);
  });
}

/** Nothing was made after all. */
export async function clearIntent(db: Database, job: HeldJob): Promise<void> {
  await held(db, job, async (tx) => {
    await tx.query(sql`
      update video_jobs set provider = null, upstream_model = null, provider_sent_at = null
      where id = ${job.subject} and provider_job_id is null`);
  });
}

/** The last word before the provider can act; answers whether it is still wanted. */
export async function writeSending(db: Database, job: HeldJob, at: Instant): Promise<boolean> {
  return await held(db, job, async (tx) => {
    const [row] = await tx.query<{ wanted: boolean }>(sql`
      update video_jobs set provider_sent_at = ${timestamp(at)} where id = ${job.subject}
      returning not cancel_asked as wanted`);
    return row?.wanted ?? false;
  });
}

export async function writeProviderJob(db: Database, job: HeldJob, providerJobId: string): Promise<void> {
  await held(db, job, async (tx) => {
    await tx.query(sql`
      update video_jobs set provider_job_id = ${providerJobId}
      where id = ${job.subject} and (provider_job_id is null or provider_job_id = ${providerJobId})`);
  });
}

/** How far it is. It never goes back, whatever a provider says. */
export async function writeProgress(
  db: Database,
  job: HeldJob,
  told: { running: boolean; progress: number | null; at: Instant },
): Promise<void> {
  const { running } = told;
  await held(db, job, async (tx) => {
    await tx.query(sql`
      update video_jobs set status = case when ${running} then 'in_progress' else status end,
        started_at = case when ${running} then coalesce(started_at, ${timestamp(told.at)}::timestamptz) else started_at end,
        progress = greatest(progress, ${told.progress}::integer)
      where id = ${job.subject} and status = any (${[...sourcesOf('in_progress'), 'in_progress']})`);
  });
}

/** Whether a job of a provider's is known to be another one of ours. */
export async function isOtherJob(
  db: Queryable,
  of: { id: string; provider: string },
  providerJobId: string,
): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 from video_jobs
    where provider = ${of.provider} and provider_job_id = ${providerJobId} and id <> ${of.id}`);
  return rows.length > 0;
}

export function held<T>(db: Database, job: HeldJob, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await holdJob(tx, job);
    return await work(tx);
  });
}
