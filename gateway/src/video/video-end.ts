/** How a video ends when it delivers no file. Pure. */
import type { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import type { VideoEnd } from './settle-video.ts';
import type { JobError, VideoJob } from './video-jobs.store.ts';

export const EXPIRED: JobError = {
  code: 'job_expired',
  message: 'The video was not made within 24 hours; nothing is charged for it.',
};

export function isExpired({ expiresAt }: VideoJob, { clock }: { readonly clock: Clock }): boolean {
  return clock.now() >= expiresAt;
}

/** Delivers no file and charges nothing. */
export function endWithoutFiles(status: VideoEnd['status'], error: JobError | null): VideoEnd {
  return { status, error, files: [], charged: null };
}

export function errorOf({ code, detail }: Problem): JobError {
  return { code, message: detail };
}
