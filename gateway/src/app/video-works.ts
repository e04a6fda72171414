/** Connects the job of videos with its work. */
import type { JobWork } from '../jobs/job-runner.ts';
import { advanceVideo } from '../video/advance-video.ts';
import type { FollowTools } from '../video/follow-video.ts';
import { VIDEO_JOB } from '../video/video-state.ts';

export type VideoWorksOptions = FollowTools;

export function videoWorks(tools: VideoWorksOptions): Record<string, JobWork> {
  return { [VIDEO_JOB]: (job, signal) => advanceVideo(job, signal, tools) };
}
