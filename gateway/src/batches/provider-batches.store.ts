/**
 * What is known of a batch at its provider. Each write holds the job, so that one who slept through their
 * lease writes nothing any more.
 */
import { type Database, type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { type HeldJob, holdJob } from '../jobs/jobs.store.ts';
import type { Instant } from '../kernel/time.ts';
import type { BatchStatus } from './batch-state.ts';
import { moveBatch } from './batches.store.ts';

/** Goes before everything that is sent; what an earlier attempt left is known to be void. */
export async function writeIntent(
  db: Database,
  job: HeldJob,
  intent: { provider: string; lines: number; at: Instant },
): Promise<void> {
  await held(db, job, async (tx) => {
    await tx.query(sql`
      update batches set provider = ${intent.provider}, provider_sent_at = ${timestamp(intent.at)},
        provider_lines = ${intent.lines}, provider_file_id = null
      where id = ${job.subject} and provider_batch_id is null`);
  });
}

/** Nothing was sent after all. */
export async function clearIntent(db: Database, job: HeldJob): Promise<void> {
  await held(db, job, async (tx) => {
    await tx.query(sql`
      update batches set provider = null, provider_sent_at = null, provider_lines = null, provider_file_id = null
      where id = ${job.subject} and provider_batch_id is null`);
  });
}

export async function writeProviderFile(db: Database, job: HeldJob, fileId: string): Promise<void> {
  await held(db, job, async (tx) => {
    await tx.query(sql`update batches set provider_file_id = ${fileId} where id = ${job.subject}`);
  });
}

/** The last word before the provider can act; answers the state, since a wish to stop may have come. */
export async function writeSending(db: Database, job: HeldJob, at: Instant): Promise<BatchStatus> {
  return await held(db, job, async (tx) => {
    const [batch] = await tx.query<{ status: BatchStatus }>(sql`
      update batches set provider_sent_at = ${timestamp(at)} where id = ${job.subject} returning status`);
    if (batch === undefined) throw new Error(`the batch ${job.subject} is gone`);
    return batch.status;
  });
}

export async function writeProviderBatch(db: Database, job: HeldJob, providerBatchId: string): Promise<void> {
  await held(db, job, async (tx) => {
    await tx.query(sql`
      update batches set provider_batch_id = ${providerBatchId}
      where id = ${job.subject} and (provider_batch_id is null or provider_batch_id = ${providerBatchId})`);
  });
}

/** Null when there is none, or none any more. */
export async function writeDoubt(db: Database, job: HeldJob, doubt: string | null): Promise<void> {
  await held(db, job, async (tx) => {
    await tx.query(sql`update batches set doubt = ${doubt} where id = ${job.subject}`);
  });
}

/** It was stopped at the provider, by nobody who asked us. */
export async function writeStopped(db: Database, job: HeldJob, at: Instant): Promise<void> {
  await held(db, job, async (tx) => {
    await moveBatch(tx, job.subject, { to: 'cancelling', at });
  });
}

/** Whether a batch of a provider's is known to be another one of ours. */
export async function isOtherBatch(
  db: Queryable,
  batchId: string,
  providerBatchId: string,
): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 from batches where provider_batch_id = ${providerBatchId} and id <> ${batchId}`);
  return rows.length > 0;
}

function held<T>(db: Database, job: HeldJob, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await holdJob(tx, job);
    return await work(tx);
  });
}
