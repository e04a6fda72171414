/** Polls a video at its provider, cancels it when asked, and copies its files when it is done. */
import { BlobsUnavailable } from '../blobs/blobs.ts';
import { providerProblem } from '../calls/provider-problem.ts';
import { DatabaseUnavailable } from '../database/database.ts';
import { JobLeaseLost } from '../jobs/jobs.store.ts';
import { nextPoll } from '../provider-jobs/next-poll.ts';
import type { Again, Turn } from '../provider-jobs/provider-job.ts';
import type { ProviderVideo, VideoProvider } from '../providers/video-provider.ts';
import { type CopiedFile, type CopyTools, copyFiles } from './copy-files.ts';
import { countUsage } from './count-usage.ts';
import type { CreateProviderVideoTools } from './create-provider-video.ts';
import { committedVideoState, writeProgress } from './provider-videos.store.ts';
import type { VideoEnd } from './settle-video.ts';
import { EXPIRED, endWithoutFiles, errorOf, isExpired } from './video-end.ts';
import type { JobError, LeasedVideo, VideoJob } from './video-jobs.store.ts';

export interface FollowProviderVideoTools extends CopyTools, CreateProviderVideoTools {}

interface Reported {
  readonly videos: VideoProvider;
  /** Null when the provider no longer has the job. */
  readonly remote: ProviderVideo | null;
}

export async function followProviderVideo(
  leased: LeasedVideo,
  { videos, remote: first }: Reported,
  turn: Turn<FollowProviderVideoTools>,
): Promise<VideoEnd | Again> {
  const { video, job } = leased;
  const { tools } = turn;
  const { clock, db } = tools;
  const remote = await cancelUnwanted(video, { videos, remote: first }, turn);
  if (remote === null) return lost();
  if (remote.state === 'queued' || remote.state === 'running') {
    if (isExpired(video, tools)) return endWithoutFiles('expired', EXPIRED);
    const running = remote.state === 'running';
    const progress = remote.progress === null ? null : clamp(remote.progress);
    await writeProgress(db, job, { running, progress, at: clock.now() });
    return { again: nextPoll(committedVideoState(video), tools) };
  }
  if (remote.state !== 'succeeded') return endOf(video, remote, tools);
  return await deliver(leased, { videos, remote }, turn);
}

/** Cancels a video that is expired or no longer wanted, where the provider can. Returns its new status. */
async function cancelUnwanted(
  video: VideoJob,
  { videos, remote }: Reported,
  { signal, tools }: Turn<FollowProviderVideoTools>,
): Promise<ProviderVideo | null> {
  const unwanted = video.cancelAsked || isExpired(video, tools);
  const active = remote?.state === 'queued' || remote?.state === 'running';
  if (!unwanted || !active || videos.cancel === undefined) return remote;
  await videos.cancel(remote.id, signal);
  return await videos.status(remote.id, signal);
}

function lost(): VideoEnd {
  return endWithoutFiles('failed', {
    code: 'upstream_error',
    message: 'The provider lost the job; nothing is charged for it.',
  });
}

/** The video failed or was cancelled. Some providers charge for that, and report it. */
function endOf(video: VideoJob, remote: ProviderVideo, tools: FollowProviderVideoTools): VideoEnd {
  const { request } = video;
  const made = { request, reported: remote.seconds, made: 0, delivered: 0, measured: [] };
  const charged = remote.charged ? { usage: countUsage(made) } : null;
  if (remote.state === 'cancelled' && video.cancelAsked) {
    return { status: 'cancelled', error: null, files: [], charged };
  }
  if (remote.state === 'cancelled' && isExpired(video, tools)) {
    return { status: 'expired', error: EXPIRED, files: [], charged };
  }
  return { status: 'failed', error: reasonOf(video, remote), files: [], charged };
}

function reasonOf({ model, upstreamModel }: VideoJob, { state, problem }: ProviderVideo): JobError {
  if (problem !== null) {
    const at = { route: { upstreamModel: upstreamModel ?? '' }, model: { code: model } };
    return errorOf(upstreamModel === null ? problem : providerProblem(problem, at));
  }
  const message =
    state === 'cancelled'
      ? 'The provider stopped the job, and did not say why.'
      : 'The provider could not make the video, and did not say why.';
  return { code: 'upstream_error', message };
}

async function deliver(
  leased: LeasedVideo,
  { videos, remote }: { videos: VideoProvider; remote: ProviderVideo },
  { signal, tools }: Turn<FollowProviderVideoTools>,
): Promise<VideoEnd> {
  const { video } = leased;
  let files: CopiedFile[];
  try {
    files = await copyFiles(leased, { remote, videos }, { signal, tools });
  } catch (error) {
    // Once the job has expired, a file that the provider cannot send is not waited for.
    if (signal.aborted || !isExpired(video, tools) || isOwnTrouble(error)) throw error;
    return endWithoutFiles('expired', EXPIRED);
  }
  const copies = files.flatMap(({ copy }) => copy ?? []);
  if (copies.length === 0) {
    const message = 'The provider made the video, but no longer has its file; nothing is charged for it.';
    return { ...endWithoutFiles('failed', { code: 'upstream_error', message }), files };
  }
  const usage = countUsage({
    request: video.request,
    reported: remote.seconds,
    made: files.length,
    delivered: copies.length,
    measured: copies.map(({ film }) => film.seconds),
  });
  return { status: 'succeeded', error: null, files, charged: { usage } };
}

/** Not the provider's fault, so the copy is tried again. */
function isOwnTrouble(error: unknown): boolean {
  return (
    error instanceof JobLeaseLost || error instanceof DatabaseUnavailable || error instanceof BlobsUnavailable
  );
}

function clamp(progress: number): number {
  return Math.max(0, Math.min(100, Math.floor(progress)));
}
