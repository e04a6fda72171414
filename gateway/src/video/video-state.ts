/**
 * The states of a video job, and the moves between them. Pure; the store writes a move only from a state
 * that it can start at, so of two that meet one finds the other's done.
 */
import type { JobStatus } from '../contract/video.ts';

/** The kind under which videos stand among the jobs. */
export const VIDEO_JOB = 'video';

export const videoMoves: Readonly<Record<JobStatus, readonly JobStatus[]>> = {
  queued: ['in_progress', 'succeeded', 'failed', 'cancelled', 'expired'],
  in_progress: ['succeeded', 'failed', 'cancelled', 'expired'],
  succeeded: [],
  failed: [],
  cancelled: [],
  expired: [],
};

export function isEnded(status: JobStatus): boolean {
  return videoMoves[status].length === 0;
}

/** The states from which a state can be reached. */
export function sourcesOf(status: JobStatus): JobStatus[] {
  return (Object.keys(videoMoves) as JobStatus[]).filter((from) => videoMoves[from].includes(status));
}
