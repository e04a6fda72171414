/**
 * The work of a video, as a durable job: from the moment it was accepted to its end. Each turn looks where it
 * stands and takes it further; whoever takes it up after a crash does the same.
 */
import type { JobResult } from '../jobs/job-runner.ts';
import { endJob, type HeldJob, JobLost } from '../jobs/jobs.store.ts';
import type { ProviderVideo } from '../providers/video-provider.ts';
import { giveUp } from './copy-files.ts';
import { EXPIRED, type Followed, type FollowTools, followVideo, isLate, without } from './follow-video.ts';
import { type HeldVideo, lookUp, sendVideo } from './send-video.ts';
import { settleVideo, type VideoEnd } from './settle-video.ts';
import { findVideoJob, type VideoJob } from './video-jobs.store.ts';
import { videosOf } from './video-place.ts';
import { isEnded } from './video-state.ts';

interface At {
  readonly signal: AbortSignal;
  readonly tools: FollowTools;
}

export async function advanceVideo(
  job: HeldJob,
  signal: AbortSignal,
  tools: FollowTools,
): Promise<JobResult> {
  const video = await findVideoJob(tools.db, job.subject);
  if (video === null || isEnded(video.status)) {
    await endJob(tools.db, job);
    return 'ended';
  }
  const held = { video, job };
  try {
    const followed = await advance(held, { signal, tools });
    if ('again' in followed) return { again: followed.again };
    return await end(held, followed, { signal, tools });
  } catch (error) {
    if (signal.aborted && !(error instanceof JobLost)) return { again: tools.clock.now() };
    throw error;
  }
}

async function advance(held: HeldVideo, at: At): Promise<Followed> {
  try {
    return await turn(held, at);
  } catch (error) {
    const { signal, tools } = at;
    // A provider that cannot be asked any more does not keep a job from its end.
    const overdue = tools.clock.now() >= held.video.expiresAt + GIVE_UP_MS;
    if (error instanceof JobLost || signal.aborted || !overdue) throw error;
    return without('expired', EXPIRED);
  }
}

/** So long after its time a job ends, also when its provider cannot be reached. */
const GIVE_UP_MS = 60 * 60 * 1000;

async function turn(held: HeldVideo, at: At): Promise<Followed> {
  const { video } = held;
  const { signal, tools } = at;
  const { provider, providerJobId } = video;
  if (provider !== null && providerJobId !== null) {
    const videos = videosOf(provider, tools);
    return await followVideo(held, { videos, told: await videos.status(providerJobId, signal) }, at);
  }
  const found = await lookUp(held, at);
  if (found === 'unknowable') return unknowable(video, at);
  if (found !== 'absent') return 'again' in found ? found : await follow(held, found, at);
  // Nothing runs anywhere: what can be stopped is stopped already.
  if (video.cancelAsked) return without('cancelled', null);
  if (isLate(video, tools)) return without('expired', EXPIRED);
  const sent = await sendVideo(held, provider, at);
  if ('failed' in sent) return without('failed', sent.failed);
  return 'again' in sent ? sent : await follow(held, sent, at);
}

/** Goes on with what was just written of its provider. */
async function follow(held: HeldVideo, told: ProviderVideo, at: At): Promise<Followed> {
  const { tools } = at;
  const video = (await findVideoJob(tools.db, held.video.id)) ?? held.video;
  const videos = videosOf(video.provider ?? '', tools);
  return await followVideo({ ...held, video }, { videos, told }, at);
}

/** It may have been made, so it is not asked for again; it cannot be had, so it is not charged. */
function unknowable(video: VideoJob, { tools }: At): VideoEnd {
  if (video.cancelAsked) return without('cancelled', null);
  if (isLate(video, tools)) return without('expired', EXPIRED);
  return without('failed', {
    code: 'upstream_error',
    message:
      'The provider did not answer whether it took the job, and cannot be asked. Nothing is charged; send it again if you still want it.',
  });
}

async function end({ video, job }: HeldVideo, ended: VideoEnd, { signal, tools }: At): Promise<JobResult> {
  const model = tools.catalog().models.get(video.model) ?? null;
  try {
    await settleVideo({ video, job }, { end: ended, model }, tools);
  } catch (error) {
    await giveUp(ended.files);
    throw error;
  }
  await forget(video, { signal, tools });
  return 'ended';
}

/** Whatever is left behind at the provider expires by itself. */
async function forget({ id }: VideoJob, { signal, tools }: At): Promise<void> {
  const video = await findVideoJob(tools.db, id).catch(() => null);
  if (video?.provider == null || video.providerJobId === null) return;
  await videosOf(video.provider, tools)
    .remove?.(video.providerJobId, signal)
    .catch(() => undefined);
}
