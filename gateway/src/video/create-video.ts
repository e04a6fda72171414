/** Accepts a video: one transaction inserts the video and its job. */

import { ownerOf, type Principal } from '../access/principal.ts';
import { chargedPrice } from '../catalog/charged-price.ts';
import { checkVideoPrice } from '../catalog/check-priced.ts';
import { checkVideoCall } from '../catalog/check-video.ts';
import type { Model } from '../catalog/model.ts';
import { type Tags, tagsInMetadata } from '../contract/tags.ts';
import type { VideoRequest } from '../contract/video.ts';
import type { Claim, Once } from '../idempotency/once.ts';
import { enqueueJob } from '../jobs/jobs.store.ts';
import { jsonDigest } from '../kernel/digest.ts';
import { DAY_MS } from '../kernel/durations.ts';
import { newId } from '../kernel/ids.ts';
import { checkStorable } from '../kernel/storable-text.ts';
import { type Units, ZERO } from '../kernel/units.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import type { Admission, Reservation } from '../metering/admission.ts';
import { type Attributions, attributedValues } from '../metering/attribution/attributions.ts';
import { matchBudgets, purseOf, waitingText } from '../metering/budgets/match-budgets.ts';
import { type HeldSlices, reserveUnits } from '../metering/reserves.store.ts';
import type { ModelPrice } from '../pricing/model-price.ts';
import { priceSecondsOrProvisional } from '../pricing/unpriced.ts';
import type { RouteTools } from '../provider-jobs/provider-job.ts';
import type { RateLimiter } from '../rates/rate-limiter.ts';
import { mustFindJob } from './find-job.ts';
import type { ShownJob } from './job-object.ts';
import { type KeepTools, keepInputs } from './keep-inputs.ts';
import { videoCallOf } from './video-call.ts';
import { insertVideoJob } from './video-jobs.store.ts';
import { videoRoutesFor } from './video-route.ts';
import { VIDEO_JOB } from './video-state.ts';

/** A video that is not done by then expires. */
export const VIDEO_WINDOW_MS = DAY_MS;
/** Inline inputs are kept longer than the job can run. */
const INPUT_SPARE_MS = DAY_MS;

export interface CreateTools extends KeepTools, RouteTools {
  readonly once: Once;
  readonly admission: Pick<Admission, 'reserve'>;
  readonly rates: Pick<RateLimiter, 'countRequest' | 'headers'>;
  readonly attributions: Pick<Attributions, 'bounded'>;
}

export interface VideoSubmission {
  readonly principal: Principal;
  readonly request: VideoRequest;
  /** The Idempotency-Key. Null: every request creates a job. */
  readonly key: string | null;
  /** Of the header; null: none. */
  readonly tags: Tags | null;
}

export async function createVideo(submission: VideoSubmission, tools: CreateTools): Promise<ShownJob> {
  const { principal, request, key } = submission;
  checkStorable(request.prompt, 'prompt');
  checkStorable(request.metadata, 'metadata');
  if (key === null) return await create(submission, { claim: null, digest: '' }, tools);
  // Null and absent mean the same.
  const digest = jsonDigest(
    Object.fromEntries(Object.entries(request).filter(([, value]) => value !== null)),
  );
  const scope = { spaceId: principal.spaceId, owner: ownerOf(principal) };
  const begun = await whenAvailable(() => tools.once.begin({ ...scope, operation: 'video.create', key }));
  if (begun.decided) return await mustFindJob(tools.db, begun.replay(digest));
  try {
    return await create(submission, { claim: begun, digest }, tools);
  } catch (error) {
    await begun.fail(digest, error);
    throw error;
  }
}

async function create(
  { principal, request: requested, tags }: VideoSubmission,
  { claim, digest }: { claim: Claim | null; digest: string },
  tools: CreateTools,
): Promise<ShownJob> {
  const { db, clock } = tools;
  const model = tools.catalog().find(requested.model, { user: principal, endpoint: 'video' });
  checkVideoCall(model, requested);
  const price = chargedPrice(model, principal, clock.now());
  if (!principal.unpricedAllowed) checkVideoPrice(model, price, requested.resolution ?? null);
  const request = withDefaults(requested, model);
  videoRoutesFor(model, videoCallOf(request), tools);
  const units = videoReserve(request, price);
  const metadata = tagsInMetadata(request.metadata);
  const values = attributedValues(principal, { tags, metadata });
  const attribution = values === null ? null : tools.attributions.bounded(principal.spaceId, values);
  const matched = matchBudgets({ principal, models: [model.code], values })?.all ?? [];
  const hard = matched.filter(({ budget }) => budget.hard);
  const submit = async (reservation: Reservation): Promise<ShownJob> => {
    // Last, because it counts the request: one that no provider accepts must not use up the rate.
    await tools.rates.countRequest(principal);
    const keptMs = VIDEO_WINDOW_MS + INPUT_SPARE_MS;
    const kept = await keepInputs(request, { principal, keptMs }, tools);
    try {
      const now = clock.now();
      const { spaceId, keyId, memberId } = principal;
      const job = {
        id: newId('job', now),
        spaceId,
        keyId,
        memberId,
        owner: ownerOf(principal),
        model: model.code,
        request: kept.request,
        metadata: request.metadata ?? null,
        attribution: attribution?.text ?? null,
        budgets: waitingText(matched),
        createdAt: now,
        expiresAt: now + VIDEO_WINDOW_MS,
      };
      const store = (slices: HeldSlices): Promise<void> =>
        db.transaction(async (tx) => {
          await enqueueJob(tx, { kind: VIDEO_JOB, subject: job.id, dueAt: now, now });
          const budgets = new Map(hard.map((one) => [purseOf(one), units]));
          await reserveUnits(tx, { ref: job.id, principal, units, budgets, slices });
          await kept.adopt(tx);
          await insertVideoJob(tx, job);
          await claim?.complete(tx, { digest, outcome: { result: job.id } });
        });
      await reservation.store(store);
      claim?.close();
      return await mustFindJob(db, job.id);
    } catch (error) {
      await kept.abort();
      throw error;
    }
  };
  const reserve = { units, whole: false, budgets: new Map(hard.map((one) => [one, units])) };
  return await whenAvailable(() => tools.admission.reserve(principal, reserve, submit));
}

/** What the video may cost: its whole length. */
function videoReserve(request: VideoRequest, price: ModelPrice | null): Units {
  const { charge, provisional } = priceSecondsOrProvisional(
    request.duration_seconds ?? 0,
    price,
    request.resolution ?? null,
  );
  return charge?.total ?? provisional ?? ZERO;
}

/** Sets the model's default length explicitly, so that the cost is known. */
function withDefaults(request: VideoRequest, { video }: Model): VideoRequest {
  return { ...request, duration_seconds: request.duration_seconds ?? video.secondsDefault };
}
