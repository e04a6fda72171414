/** A job as the API shows it. Pure. */
import { estimatedCost } from '../contract/cost.ts';
import type { JobFile, JobObject } from '../contract/video.ts';
import { type Instant, unixSecondsOf } from '../kernel/time.ts';
import type { StoredMedia } from '../media/media.store.ts';
import type { VideoJob } from './video-jobs.store.ts';
import { isEnded } from './video-state.ts';

export interface ShownJob {
  readonly job: VideoJob;
  readonly files: readonly StoredMedia[];
}

export function jobObject({ job, files }: ShownJob): JobObject {
  return {
    id: job.id,
    object: 'job',
    kind: 'video',
    model: job.model,
    status: job.status,
    progress: job.progress,
    created_at: unixSecondsOf(job.createdAt),
    started_at: seconds(job.startedAt),
    completed_at: seconds(job.completedAt),
    expires_at: unixSecondsOf(job.expiresAt),
    files: files.map(fileObject),
    usage: job.usage === null ? null : { ...job.usage },
    // The cost is unknown until the job ends.
    estimated_cost: isEnded(job.status) ? estimatedCost(job.cost) : null,
    error: job.error === null ? null : { ...job.error },
    metadata: job.metadata === null ? null : { ...job.metadata },
  };
}

function fileObject(file: StoredMedia): JobFile {
  return {
    media_id: file.id,
    kind: file.kind,
    mime_type: file.mimeType,
    bytes: file.bytes,
    duration_seconds: file.durationSeconds,
    width: file.width,
    height: file.height,
    status: file.status,
  };
}

function seconds(instant: Instant | null): number | null {
  return instant === null ? null : unixSecondsOf(instant);
}
