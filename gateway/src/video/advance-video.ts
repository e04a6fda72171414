/**
 * The durable job of a video, from its acceptance to its end. provider-jobs/ makes sure that the provider creates it
 * once; this file says what each step means for a video.
 */
import type { JobResult } from '../jobs/job-runner.ts';
import { endJob, type LeasedJob } from '../jobs/jobs.store.ts';
import { advanceProviderJob, untilStopped } from '../provider-jobs/advance-provider-job.ts';
import type { ProviderJob, Search, Turn } from '../provider-jobs/provider-job.ts';
import type { ProviderVideo } from '../providers/video-provider.ts';
import { abortCopies } from './copy-files.ts';
import { createProviderVideo } from './create-provider-video.ts';
import { type FollowProviderVideoTools, followProviderVideo } from './follow-provider-video.ts';
import { committedVideoState, providerVideos } from './provider-videos.store.ts';
import { settleVideo, type VideoEnd } from './settle-video.ts';
import { videoCallOf } from './video-call.ts';
import { EXPIRED, endWithoutFiles, isExpired } from './video-end.ts';
import { findVideoJob, type LeasedVideo, type VideoJob } from './video-jobs.store.ts';
import { videoProviderOf } from './video-route.ts';
import { isEnded } from './video-state.ts';

export type AdvanceVideoTools = FollowProviderVideoTools;

export async function advanceVideo(
  job: LeasedJob,
  signal: AbortSignal,
  tools: AdvanceVideoTools,
): Promise<JobResult> {
  const video = await findVideoJob(tools.db, job.subject);
  if (video === null || isEnded(video.status)) {
    await endJob(tools.db, job);
    return 'ended';
  }
  const turn = { signal, tools };
  return await untilStopped(turn, async () => {
    const leased = { video, job };
    const outcome = await advanceProviderJob(providerVideo(leased, tools), turn);
    return 'again' in outcome ? outcome : await end(leased, outcome, turn);
  });
}

function providerVideo(leased: LeasedVideo, tools: AdvanceVideoTools): ProviderJob<ProviderVideo, VideoEnd> {
  const { video, job } = leased;
  const videos = () => videoProviderOf(video.provider ?? '', tools);
  const endUnwanted = (): VideoEnd | null => {
    if (video.cancelAsked) return endWithoutFiles('cancelled', null);
    return isExpired(video, tools) ? endWithoutFiles('expired', EXPIRED) : null;
  };
  return {
    lease: job,
    table: providerVideos,
    state: committedVideoState(video),
    search: searchFor(video, tools),
    async reload() {
      return providerVideo({ video: (await findVideoJob(tools.db, video.id)) ?? video, job }, tools);
    },
    status: (id, signal) => videos().status(id, signal),
    follow: (remote, signal) => followProviderVideo(leased, { videos: videos(), remote }, { signal, tools }),
    endBeforeCreate: endUnwanted,
    create: (signal) => createProviderVideo(leased, { signal, tools }),
    endUnknowable: () => endUnwanted() ?? endWithoutFiles('failed', NO_ANSWER),
    giveUp: () => endWithoutFiles('expired', EXPIRED),
  };
}

const NO_ANSWER = {
  code: 'upstream_error',
  message:
    'The provider did not answer whether it took the job, and cannot be asked. Nothing is charged; send it again if you still want it.',
};

function searchFor(video: VideoJob, tools: AdvanceVideoTools): Search<ProviderVideo> | null {
  const { id: jobId, provider, upstreamModel, request } = video;
  if (provider === null || upstreamModel === null || request === null) return null;
  const call = videoCallOf(request);
  return {
    find: (sent, signal) =>
      videoProviderOf(provider, tools).find({ jobId, upstreamModel, call, ...sent }, signal),
  };
}

async function end(
  { video, job }: LeasedVideo,
  ended: VideoEnd,
  turn: Turn<AdvanceVideoTools>,
): Promise<JobResult> {
  const { tools } = turn;
  const model = tools.catalog().models.get(video.model) ?? null;
  try {
    await settleVideo({ video, job }, { end: ended, model }, tools);
  } catch (error) {
    await abortCopies(ended.files);
    throw error;
  }
  await removeFromProvider(video, turn);
  return 'ended';
}

/** Best effort: what stays at the provider expires there. */
async function removeFromProvider(
  { id }: VideoJob,
  { signal, tools }: Turn<AdvanceVideoTools>,
): Promise<void> {
  const video = await findVideoJob(tools.db, id).catch(() => null);
  if (video?.provider == null || video.providerJobId === null) return;
  await videoProviderOf(video.provider, tools)
    .remove?.(video.providerJobId, signal)
    .catch(() => undefined);
}
