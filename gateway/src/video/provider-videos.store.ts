/** What is known of a video at its provider. Every write requires the lease of the job. */
import { type Database, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { type LeasedJob, withLease } from '../jobs/jobs.store.ts';
import { statesBefore } from '../kernel/state-table.ts';
import type { Instant } from '../kernel/time.ts';
import type { CommittedState } from '../provider-jobs/provider-job.ts';
import type { ProviderJobTable } from '../provider-jobs/provider-jobs.store.ts';
import type { VideoJob } from './video-jobs.store.ts';
import { videoMoves } from './video-state.ts';

export const providerVideos: ProviderJobTable<'upstream_model'> = {
  name: 'video_jobs',
  remoteId: 'provider_job_id',
  details: ['upstream_model'],
  isWanted: 'not cancel_asked',
  remoteIdsUnique: 'per provider',
};

export function committedVideoState(video: VideoJob): CommittedState {
  const { provider, providerSentAt: sentAt, providerJobId: remoteId, expiresAt } = video;
  return { provider, sentAt, remoteId, expiresAt, pollingSince: sentAt };
}

/** Progress never decreases, even if the provider reports less. */
export async function writeProgress(
  db: Database,
  job: LeasedJob,
  reported: { running: boolean; progress: number | null; at: Instant },
): Promise<void> {
  const { running } = reported;
  await withLease(db, job, async (tx) => {
    await tx.query(sql`
      update video_jobs set status = case when ${running} then 'in_progress' else status end,
        started_at = case when ${running} then coalesce(started_at, ${timestamp(reported.at)}::timestamptz) else started_at end,
        progress = greatest(progress, ${reported.progress}::integer)
      where id = ${job.subject} and status = any (${[...statesBefore(videoMoves, 'in_progress'), 'in_progress']})`);
  });
}
