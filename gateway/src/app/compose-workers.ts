/** Composes the background work of a process: batches, videos and alerts. */

import { JobRunner, type JobRunnerOptions, type JobWork } from '../jobs/job-runner.ts';
import type { JsonLimits } from '../json/json-limits.ts';
import type { MediaTools } from '../media/resolve-media.ts';
import type { Log } from '../telemetry/log.ts';
import { type AdvanceVideoTools, advanceVideo } from '../video/advance-video.ts';
import { openReference } from '../video/open-input.ts';
import { VIDEO_JOB } from '../video/video-state.ts';
import { type BatchWorkOptions, batchWork } from './batch-work.ts';
import type { Limits } from './limits.ts';

export interface WorkerParts {
  readonly log: Log;
  readonly limits: Limits;
  readonly json: JsonLimits;
  readonly files: BatchWorkOptions['advance'];
  readonly calls: BatchWorkOptions['calls'];
  readonly videos: Omit<AdvanceVideoTools, 'pollMs' | 'unknownMs' | 'openInput'>;
  readonly media: MediaTools;
  readonly alerts: JobRunnerOptions['works'];
}

/** The most batches, and the most videos, that one process runs at once. */
const JOBS_MAX = 20;
/** Alerts that one process sends at once. */
const ALERTS_MAX = 10;
/** A new alert is announced; this finds those of dead processes. So a gateway without alerts asks seldom. */
const ALERTS_POLL_MS = 10_000;

/** One runner per kind, so that a video never waits for long batches, or for a receiver of alerts that is silent. */
export function composeWorkers(parts: WorkerParts): JobRunner[] {
  const { log, limits, json, files, calls, videos, media } = parts;
  const { db, clock } = files;
  const works: Array<JobRunnerOptions['works']> = [
    batchWork({
      advance: files,
      calls,
      json,
      linesMax: limits.batchLines,
      pollMs: limits.batchPollMs,
      unknownMs: limits.batchUnknownMs,
    }),
    videoWork({
      ...videos,
      pollMs: limits.videoPollMs,
      unknownMs: limits.videoUnknownMs,
      openInput: (field, video, { provider }) => openReference(field, { video, provider }, media),
    }),
  ];
  const onTrouble: JobRunnerOptions['onTrouble'] = (error, job) =>
    log.error('a job failed', { error, job: job?.subject ?? null });
  const runners = works.map((its) => new JobRunner({ db, clock, jobsMax: JOBS_MAX, works: its, onTrouble }));
  const ofAlerts = { jobsMax: ALERTS_MAX, pollMs: ALERTS_POLL_MS, works: parts.alerts };
  return [...runners, new JobRunner({ db, clock, onTrouble, ...ofAlerts })];
}

/** The work of video jobs in this process. */
function videoWork(tools: AdvanceVideoTools): Record<string, JobWork> {
  return { [VIDEO_JOB]: (job, signal) => advanceVideo(job, signal, tools) };
}
