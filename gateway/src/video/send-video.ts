/** Has a provider make a video, at most once; and finds out what became of a request that was never answered. */

import { providerProblem } from '../calls/provider-problem.ts';
import type { Model } from '../catalog/model.ts';
import type { Database } from '../database/database.ts';
import type { HeldJob } from '../jobs/jobs.store.ts';
import { GracePeriod } from '../kernel/grace-period.ts';
import { Problem } from '../kernel/problem.ts';
import type { Clock, Instant } from '../kernel/time.ts';
import type { MediaInput } from '../providers/media-input.ts';
import { NotSent } from '../providers/not-sent.ts';
import type { ProviderVideo, VideoToCreate } from '../providers/video-provider.ts';
import {
  clearIntent,
  isOtherJob,
  writeIntent,
  writeProviderJob,
  writeSending,
} from './provider-videos.store.ts';
import { type InputField, mapInputs, videoCallOf } from './video-call.ts';
import type { JobError, KeptRequest, VideoJob } from './video-jobs.store.ts';
import { type PlaceTools, placesFor, type VideoPlace, videosOf } from './video-place.ts';

export interface SendTools extends PlaceTools {
  readonly db: Database;
  readonly clock: Clock;
  /** Between two looks at a video, at most. */
  readonly pollMs: number;
  /** How long after it was sent a video that is not there may still appear. */
  readonly unknownMs: number;
  /** What a provider is given for a URL of the request. Throws a Problem when it is no longer there. */
  openInput(field: InputField, video: VideoJob, place: VideoPlace): Promise<MediaInput>;
}

export interface HeldVideo {
  readonly video: VideoJob;
  readonly job: HeldJob;
}

/** What came of a turn at a job that is not at its provider yet. */
export type Sent = ProviderVideo | { readonly again: Instant } | { readonly failed: JobError };

/** When the process is to stop, an answer to what was sent is waited for this long. */
const DRAIN_MS = 10_000;
/** What was decided longer ago is no longer acted upon: the lease may have passed to another. */
const ACT_WITHIN_MS = 5_000;
const POLL_MS_MIN = 1_000;

/**
 * Tries the routes of the model in turn for as long as nothing can have been made; `last` names the provider
 * that was tried before in vain.
 */
export async function sendVideo(
  held: HeldVideo,
  last: string | null,
  { signal, tools }: { signal: AbortSignal; tools: SendTools },
): Promise<Sent> {
  const { video, job } = held;
  const { request } = video;
  const model = tools.catalog().models.get(video.model);
  if (request === null || model === undefined) return { failed: goneModel(video) };
  let trouble: unknown = null;
  try {
    for (const place of placesOf(model, { request, last }, tools)) {
      const call = await callFor(held, { request, place }, tools);
      const { provider, route } = place;
      const { upstreamModel } = route;
      await writeIntent(tools.db, job, { provider: provider.name, upstreamModel, at: tools.clock.now() });
      const sent = await sendTo(held, { place, call }, { signal, tools });
      if (!('trouble' in sent)) return sent;
      trouble = sent.trouble;
    }
  } catch (error) {
    // Raised before anything was sent: an input or an option that no provider takes any more.
    if (error instanceof Problem && isRefusal(error)) return { failed: errorOf(error) };
    throw error;
  }
  throw trouble;
}

function placesOf(
  model: Model,
  { request, last }: { request: KeptRequest; last: string | null },
  tools: SendTools,
): VideoPlace[] {
  const places = placesFor(model, videoCallOf(request), tools);
  const wasTried = ({ provider }: VideoPlace): number => (provider.name === last ? 1 : 0);
  return places.toSorted((a, b) => wasTried(a) - wasTried(b));
}

async function callFor(
  { video }: HeldVideo,
  { request, place }: { request: KeptRequest; place: VideoPlace },
  tools: SendTools,
): Promise<VideoToCreate['call']> {
  const call = videoCallOf(request);
  const inputs = await mapInputs(call.inputs, (field) => tools.openInput(field, video, place));
  return { ...call, inputs };
}

/** `trouble`: nothing was made, and another route or another time may do better. */
async function sendTo(
  { video, job }: HeldVideo,
  { place, call }: { place: VideoPlace; call: VideoToCreate['call'] },
  { signal, tools }: { signal: AbortSignal; tools: SendTools },
): Promise<Sent | { readonly trouble: unknown }> {
  const { db, clock } = tools;
  const { upstreamModel } = place.route;
  let unwanted = false;
  const mayAct = async (): Promise<boolean> => {
    unwanted = !(await stillWanted({ video, job }, signal, tools));
    return !unwanted;
  };
  const grace = new GracePeriod(signal, { clock, waitMs: DRAIN_MS });
  try {
    const made = await place.videos.create({ jobId: video.id, upstreamModel, call, mayAct }, grace.signal);
    await writeProviderJob(db, job, made.id);
    return made;
  } catch (error) {
    if (error instanceof NotSent) {
      await clearIntent(db, job);
      // A change of mind, which the next look will see.
      return unwanted ? { again: clock.now() } : { trouble: error.cause };
    }
    if (!(error instanceof Problem)) throw error;
    if (error.status === TOO_MANY) {
      await clearIntent(db, job);
      return { trouble: error };
    }
    // Whoever broke may have acted before.
    if (!isRefusal(error)) throw error;
    return { failed: errorOf(providerProblem(error, place)) };
  } finally {
    grace.end();
  }
}

const TOO_MANY = 429;

/** The same would be refused again. */
function isRefusal({ status }: Problem): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== TOO_MANY;
}

export function errorOf({ code, detail }: Problem): JobError {
  return { code, message: detail };
}

function goneModel({ model }: VideoJob): JobError {
  return { code: 'model_not_found', message: `The model ${model} is no longer offered.` };
}

/** Proves that the job is still ours, and hears of a cancellation, at the last moment for either. */
async function stillWanted(
  { video, job }: HeldVideo,
  signal: AbortSignal,
  { db, clock }: SendTools,
): Promise<boolean> {
  const beganMs = clock.elapsedMs();
  const wanted = await writeSending(db, job, clock.now());
  const inTime = clock.now() < video.expiresAt && clock.elapsedMs() - beganMs < ACT_WITHIN_MS;
  return wanted && inTime && !signal.aborted;
}

/**
 * What became of a request that was never answered. `absent`: nothing was made and nothing will be, so it may
 * be sent again. `unknowable`: nobody can tell, so it may not.
 */
export async function lookUp(
  { video, job }: HeldVideo,
  { signal, tools }: { signal: AbortSignal; tools: SendTools },
): Promise<ProviderVideo | 'absent' | 'unknowable' | { readonly again: Instant }> {
  const { db, clock } = tools;
  const { id, provider, providerSentAt: sentAt, upstreamModel, request } = video;
  if (provider === null || sentAt === null || upstreamModel === null || request === null) return 'absent';
  const isOther = (theirId: string): Promise<boolean> => isOtherJob(db, { id, provider }, theirId);
  const sent = { jobId: id, upstreamModel, call: videoCallOf(request), sentAt, isOther };
  const found = await videosOf(provider, tools).find(sent, signal);
  if (typeof found === 'object') {
    await writeProviderJob(db, job, found.id);
    return found;
  }
  // What is under way may still arrive, and what looks like ours may turn out to be another's.
  if (clock.now() < sentAt + tools.unknownMs) return { again: nextLook(video, tools) };
  if (found === 'absent') await clearIntent(db, job);
  return found;
}

/** The longer it takes, the less often it is looked at; never later than the end of its time. */
export function nextLook(video: VideoJob, { clock, pollMs }: Pick<SendTools, 'clock' | 'pollMs'>): Instant {
  const now = clock.now();
  const age = now - (video.providerSentAt ?? now);
  const look = now + Math.min(Math.max(age / 10, POLL_MS_MIN), pollMs);
  return Math.round(video.expiresAt > now ? Math.min(look, video.expiresAt) : look);
}
