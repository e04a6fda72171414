/** Cancels a video. The request is only accepted here: a video that its provider finishes first is kept and charged. */
import type { Principal } from '../access/principal.ts';
import type { Database } from '../database/database.ts';
import { enqueueJob, lockJob } from '../jobs/jobs.store.ts';
import { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import type { RouteTools } from '../provider-jobs/provider-job.ts';
import { getJob } from './find-job.ts';
import type { ShownJob } from './job-object.ts';
import { type VideoJob, writeCancelAsked } from './video-jobs.store.ts';
import { videoProviderOf } from './video-route.ts';
import { isEnded, VIDEO_JOB } from './video-state.ts';

export interface CancelTools extends RouteTools {
  readonly db: Database;
  readonly clock: Clock;
}

export async function cancelVideo(
  request: { principal: Principal; id: string },
  tools: CancelTools,
): Promise<ShownJob> {
  const { job } = await getJob(request, tools);
  if (!isEnded(job.status) && !canCancel(job, tools)) {
    throw new Problem('job_not_cancellable', {
      detail: 'The provider of this model cannot cancel a video that it has started; the job continues.',
    });
  }
  const { db, clock } = tools;
  const now = clock.now();
  const accepted = await whenAvailable(() =>
    db.transaction(async (tx) => {
      await lockJob(tx, { kind: VIDEO_JOB, subject: job.id });
      const asked = await writeCancelAsked(tx, job.id);
      if (asked) await enqueueJob(tx, { kind: VIDEO_JOB, subject: job.id, dueAt: now, now });
      return asked;
    }),
  );
  const found = await getJob(request, tools);
  if (accepted) return found;
  throw new Problem('job_not_cancellable', {
    detail: `The job is ${found.job.status}: there is nothing left to cancel.`,
  });
}

/** A job that has not reached its provider can always be cancelled. */
function canCancel({ provider, providerJobId }: VideoJob, tools: CancelTools): boolean {
  if (provider === null || providerJobId === null) return true;
  return videoProviderOf(provider, tools).cancel !== undefined;
}
