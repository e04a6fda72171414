/** The work of video jobs in this process. */
import type { JobWork } from '../jobs/job-runner.ts';
import { type AdvanceVideoTools, advanceVideo } from '../video/advance-video.ts';
import { VIDEO_JOB } from '../video/video-state.ts';

export type VideoWorkOptions = AdvanceVideoTools;

export function videoWork(tools: VideoWorkOptions): Record<string, JobWork> {
  return { [VIDEO_JOB]: (job, signal) => advanceVideo(job, signal, tools) };
}
