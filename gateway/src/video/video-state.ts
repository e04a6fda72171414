/**
 * The states of a video job and the moves between them. Pure. The store updates a row only from an allowed state, so of
 * two concurrent moves one has no effect.
 */
import type { JobStatus } from '../contract/job-statuses.ts';
import type { StateTable } from '../kernel/state-table.ts';

/** The kind of a video's job. */
export const VIDEO_JOB = 'video';

export const videoMoves: StateTable<JobStatus> = {
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
