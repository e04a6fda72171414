/** What is known of a batch at its provider. Every write requires the lease of the job. */
import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { type LeasedJob, withLease } from '../jobs/jobs.store.ts';
import type { Instant } from '../kernel/time.ts';
import type { CommittedState } from '../provider-jobs/provider-job.ts';
import type { ProviderJobTable } from '../provider-jobs/provider-jobs.store.ts';
import { type Batch, moveBatch } from './batches.store.ts';

export const providerBatches: ProviderJobTable<'provider_lines' | 'provider_file_id'> = {
  name: 'batches',
  remoteId: 'provider_batch_id',
  details: ['provider_lines', 'provider_file_id'],
  isWanted: "status = 'in_progress'",
  remoteIdsUnique: 'everywhere',
};

/** A batch that is being cancelled is polled often again. */
export function committedBatchState(batch: Batch): CommittedState {
  const { provider, providerSentAt: sentAt, providerBatchId: remoteId, expiresAt, cancellingAt } = batch;
  return { provider, sentAt, remoteId, expiresAt, pollingSince: cancellingAt ?? sentAt };
}

export async function writeProviderFile(db: Database, job: LeasedJob, fileId: string): Promise<void> {
  await withLease(db, job, async (tx) => {
    await tx.query(sql`update batches set provider_file_id = ${fileId} where id = ${job.subject}`);
  });
}

/** Why the results cannot be settled; null when they can. */
export async function writeMismatch(db: Database, job: LeasedJob, mismatch: string | null): Promise<void> {
  await withLease(db, job, async (tx) => {
    await tx.query(sql`update batches set doubt = ${mismatch} where id = ${job.subject}`);
  });
}

/** The batch was cancelled at the provider, not through the gateway. */
export async function writeStopped(db: Database, job: LeasedJob, at: Instant): Promise<void> {
  await withLease(db, job, async (tx) => {
    await moveBatch(tx, job.subject, { to: 'cancelling', at });
  });
}
