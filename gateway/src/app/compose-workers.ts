/** What a process works on without being asked: batches and videos. */

import { JobRunner, type JobRunnerOptions } from '../jobs/job-runner.ts';
import type { JsonLimits } from '../kernel/json/parse-json.ts';
import type { MediaTools } from '../media/resolve-media.ts';
import type { Log } from '../telemetry/log.ts';
import { openReference } from '../video/open-input.ts';
import { type BatchWorksOptions, batchWorks } from './batch-works.ts';
import type { Limits } from './limits.ts';
import { type VideoWorksOptions, videoWorks } from './video-works.ts';

export interface WorkerParts {
  readonly log: Log;
  readonly limits: Limits;
  readonly json: JsonLimits;
  readonly files: BatchWorksOptions['advance'];
  readonly calls: BatchWorksOptions['calls'];
  readonly videos: Omit<VideoWorksOptions, 'pollMs' | 'unknownMs' | 'openInput'>;
  readonly media: MediaTools;
}

/** Batches, and as many videos, that one process works on at once. */
const JOBS_MAX = 20;

/** One for each kind, so that a video never waits for batches of hours. */
export function composeWorkers(parts: WorkerParts): JobRunner[] {
  const { log, limits, json, files, calls, videos, media } = parts;
  const { db, clock } = files;
  const works: Array<JobRunnerOptions['works']> = [
    batchWorks({
      ...{ advance: files, calls, json, linesMax: limits.batchLines },
      ...{ pollMs: limits.batchPollMs, unknownMs: limits.batchUnknownMs },
    }),
    videoWorks({
      ...{ ...videos, pollMs: limits.videoPollMs, unknownMs: limits.videoUnknownMs },
      openInput: (field, video, { provider }) => openReference(field, { video, provider }, media),
    }),
  ];
  const onTrouble: JobRunnerOptions['onTrouble'] = (error, job) =>
    log.error('a job went wrong', { error, job: job?.subject ?? null });
  return works.map((its) => new JobRunner({ db, clock, jobsMax: JOBS_MAX, works: its, onTrouble }));
}
