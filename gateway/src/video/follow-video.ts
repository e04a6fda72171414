/** A video that is made at its provider: looking how far it is, stopping it, and fetching what came of it. */
import { BlobsUnavailable } from '../blobs/blobs.ts';
import { providerProblem } from '../calls/provider-problem.ts';
import { DatabaseUnavailable } from '../database/database.ts';
import { JobLost } from '../jobs/jobs.store.ts';
import type { Instant } from '../kernel/time.ts';
import type { ProviderVideo, VideoProvider } from '../providers/video-provider.ts';
import { type CopiedFile, type CopyTools, copyFiles } from './copy-files.ts';
import { countUsage } from './count-usage.ts';
import { writeProgress } from './provider-videos.store.ts';
import { errorOf, type HeldVideo, nextLook, type SendTools } from './send-video.ts';
import type { VideoEnd } from './settle-video.ts';
import type { JobError, VideoJob } from './video-jobs.store.ts';

export interface FollowTools extends CopyTools, SendTools {}

export interface Told {
  readonly videos: VideoProvider;
  /** Null when the provider has no such job any more. */
  readonly told: ProviderVideo | null;
}

export type Followed = VideoEnd | { readonly again: Instant };

export const EXPIRED: JobError = {
  code: 'job_expired',
  message: 'The video was not made within 24 hours; nothing is charged for it.',
};

export async function followVideo(
  held: HeldVideo,
  { videos, told: first }: Told,
  { signal, tools }: { signal: AbortSignal; tools: FollowTools },
): Promise<Followed> {
  const { video, job } = held;
  const { clock, db } = tools;
  const told = await stopUnwanted(video, { videos, told: first }, { signal, tools });
  if (told === null) return lost();
  if (told.state === 'queued' || told.state === 'running') {
    if (isLate(video, tools)) return without('expired', EXPIRED);
    const running = told.state === 'running';
    const progress = told.progress === null ? null : clamp(told.progress);
    await writeProgress(db, job, { running, progress, at: clock.now() });
    return { again: nextLook(video, tools) };
  }
  if (told.state !== 'succeeded') return endOf(video, told, tools);
  return await deliver(held, { videos, told }, { signal, tools });
}

/** At the end of its time, or when it is no longer wanted, it is stopped where that can be done. */
async function stopUnwanted(
  video: VideoJob,
  { videos, told }: Told,
  { signal, tools }: { signal: AbortSignal; tools: FollowTools },
): Promise<ProviderVideo | null> {
  const unwanted = video.cancelAsked || isLate(video, tools);
  const underWay = told?.state === 'queued' || told?.state === 'running';
  if (!unwanted || !underWay || videos.cancel === undefined) return told;
  await videos.cancel(told.id, signal);
  return await videos.status(told.id, signal);
}

export function isLate({ expiresAt }: VideoJob, { clock }: Pick<FollowTools, 'clock'>): boolean {
  return clock.now() >= expiresAt;
}

/** Nothing comes of it, and nothing is charged. */
export function without(status: VideoEnd['status'], error: JobError | null): VideoEnd {
  return { status, error, files: [], charged: null };
}

function lost(): VideoEnd {
  return without('failed', {
    code: 'upstream_error',
    message: 'The provider lost the job; nothing is charged for it.',
  });
}

/** It failed or was stopped. Some providers charge for that, and say so. */
function endOf(video: VideoJob, told: ProviderVideo, tools: FollowTools): VideoEnd {
  const { request } = video;
  const made = { request, told: told.seconds, made: 0, delivered: 0, measured: [] };
  const charged = told.charged ? { usage: countUsage(made) } : null;
  if (told.state === 'cancelled' && video.cancelAsked) {
    return { status: 'cancelled', error: null, files: [], charged };
  }
  if (told.state === 'cancelled' && isLate(video, tools)) {
    return { status: 'expired', error: EXPIRED, files: [], charged };
  }
  return { status: 'failed', error: reasonOf(video, told), files: [], charged };
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
  held: HeldVideo,
  { videos, told }: { videos: VideoProvider; told: ProviderVideo },
  { signal, tools }: { signal: AbortSignal; tools: FollowTools },
): Promise<VideoEnd> {
  const { video } = held;
  let files: CopiedFile[];
  try {
    files = await copyFiles(held, { told, videos }, { signal, tools });
  } catch (error) {
    // A file that cannot be had by now will not be waited for any longer.
    if (signal.aborted || !isLate(video, tools) || isOurs(error)) throw error;
    return without('expired', EXPIRED);
  }
  const copies = files.flatMap(({ copy }) => copy ?? []);
  if (copies.length === 0) {
    const message = 'The provider made the video, but no longer has its file; nothing is charged for it.';
    return { ...without('failed', { code: 'upstream_error', message }), files };
  }
  const usage = countUsage({
    request: video.request,
    told: told.seconds,
    made: files.length,
    delivered: copies.length,
    measured: copies.map(({ film }) => film.seconds),
  });
  return { status: 'succeeded', error: null, files, charged: { usage } };
}

function isOurs(error: unknown): boolean {
  return (
    error instanceof JobLost || error instanceof DatabaseUnavailable || error instanceof BlobsUnavailable
  );
}

function clamp(progress: number): number {
  return Math.max(0, Math.min(100, Math.floor(progress)));
}
