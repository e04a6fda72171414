/**
 * Settlement of a video job: one transaction charges it, publishes its files, writes how it ended and ends the
 * background job. A video that was not delivered is not charged, unless the provider says that it charges for
 * it. When the amount is unknown, the job is counted as unpriced, never as free.
 */
import { findSpaceById } from '../access/spaces.store.ts';
import { FILE_DAYS } from '../batch-files/upload-batch-file.ts';
import { chargedPrice } from '../catalog/charged-price.ts';
import type { Model } from '../catalog/model.ts';
import type { Transaction } from '../database/database.ts';
import { endJob, requireLease } from '../jobs/jobs.store.ts';
import { DAY_MS } from '../kernel/durations.ts';
import type { Instant } from '../kernel/time.ts';
import { ZERO } from '../kernel/units.ts';
import { listMedia, writeFailed, writeReady } from '../media/media.store.ts';
import { readAttribution } from '../metering/attribution/attribution.ts';
import { readWaiting } from '../metering/budgets/match-budgets.ts';
import { chargeJob } from '../metering/charge-job.ts';
import { endReserve } from '../metering/reserves.store.ts';
import { readSpaceClass } from '../metering/space-class.ts';
import type { ModelPrice } from '../pricing/model-price.ts';
import type { Charge } from '../pricing/price.ts';
import { type ProviderCost, providerVideoCost } from '../pricing/provider-cost.ts';
import { type PricedUsage, priceSecondsOrProvisional } from '../pricing/unpriced.ts';
import type { CopiedFile, CopyTools } from './copy-files.ts';
import type { CountedUsage } from './count-usage.ts';
import {
  type EndedVideo,
  type JobError,
  type LeasedVideo,
  type VideoJob,
  writeEnded,
} from './video-jobs.store.ts';

export interface VideoEnd {
  readonly status: EndedVideo['status'];
  readonly error: JobError | null;
  readonly files: readonly CopiedFile[];
  /** Null when nothing is charged; `usage` is null when the usage is unknown. */
  readonly charged: { readonly usage: CountedUsage | null } | null;
}

/** Ends the job. `model` is null when it was removed from the catalogue. */
export async function settleVideo(
  held: LeasedVideo,
  { end, model }: { end: VideoEnd; model: Model | null },
  { db, clock, onSettled }: CopyTools,
): Promise<void> {
  const charge = await db.transaction((tx) => settle(tx, held, { end, model, at: clock.now() }));
  const { spaceId, model: code } = held.video;
  const unpriced = end.charged === null ? 'free' : 'unpriced';
  const result = charge === null ? unpriced : 'settled';
  const job = { kind: 'video', spaceClass: await readSpaceClass(db, spaceId), model: code } as const;
  onSettled?.({ ...job, result, units: charge?.total ?? ZERO });
}

/** Returns what is charged; null if nothing is, or if the amount is unknown. */
async function settle(
  tx: Transaction,
  { video, job }: LeasedVideo,
  { end, model, at }: { end: VideoEnd; model: Model | null; at: Instant },
): Promise<Charge | null> {
  await requireLease(tx, job);
  const { status, error, charged } = end;
  const usage = charged?.usage ?? null;
  const price = charged && (await priceOf(tx, video, model));
  const resolution = video.request?.resolution ?? null;
  const priced = usage === null ? UNKNOWN_USAGE : priceSecondsOrProvisional(usage.seconds, price, resolution);
  const { charge, missing, provisional } = priced;
  const expiresAt = status === 'succeeded' ? at + FILE_DAYS * DAY_MS : null;
  const entryId = charged === null ? null : await chargeVideo(tx, video, priced, at);
  await endReserve(tx, { spaceId: video.spaceId, ref: video.id });
  await showFiles(tx, video, { files: end.files, expiresAt });
  const ended = await writeEnded(tx, video.id, {
    status,
    at,
    expiresAt,
    error,
    usage: charged?.usage ?? null,
    charged: charged && { charge, entryId, missing, provisional, priceVersion: model?.priceVersion ?? null },
    providerCost: usage && providerCostOf(video, usage, model),
  });
  if (!ended) throw new Error(`${video.id} cannot end from its current status`);
  await endJob(tx, job);
  return charged && charge;
}

const UNKNOWN_USAGE: PricedUsage = { charge: null, missing: ['usage'], provisional: null };

/** The prices at the submission. */
async function priceOf(
  tx: Transaction,
  { createdAt, spaceId, keyId }: VideoJob,
  model: Model | null,
): Promise<ModelPrice | null> {
  if (model === null) return null;
  // Only markup depends on the name of the space.
  const space = model.markups === undefined ? null : await findSpaceById(tx, spaceId);
  return chargedPrice(model, { spaceName: space?.name ?? '', keyId }, createdAt);
}

function providerCostOf(
  { request, createdAt, provider, upstreamModel }: VideoJob,
  { seconds }: CountedUsage,
  model: Model | null,
): ProviderCost | null {
  const route = model?.routes.find((one) => one.provider === provider && one.upstreamModel === upstreamModel);
  return providerVideoCost(route?.billing, seconds, { createdAt, resolution: request?.resolution ?? null });
}

async function chargeVideo(
  tx: Transaction,
  { id, spaceId, keyId, model, attribution, budgets }: VideoJob,
  { charge, provisional }: PricedUsage,
  at: Instant,
): Promise<number | null> {
  const counted = {
    requests: 1,
    unpriced: charge === null ? 1 : 0,
    cost: charge?.total ?? ZERO,
    provisional,
  };
  const attributed = attribution === null ? [] : [{ attribution: readAttribution(attribution), ...counted }];
  const spent = charge?.total ?? provisional ?? ZERO;
  const budgeted = [{ budgets: readWaiting(budgets), requests: 1, spent }];
  return await chargeJob(tx, { id, spaceId, keyId, model, ...counted, attributed, budgeted, at });
}

/** Publishes the copied files of a job that succeeded; all other files of the job become failed. */
async function showFiles(
  tx: Transaction,
  video: VideoJob,
  { files, expiresAt }: { files: readonly CopiedFile[]; expiresAt: Instant | null },
): Promise<void> {
  for (const { media, copy } of files) {
    if (copy === null || expiresAt === null) continue;
    const { seconds: durationSeconds, width, height } = copy.film;
    await copy.blob.adopt(tx);
    await writeReady(tx, media.id, { ...copy.blob.soFar(), durationSeconds, width, height, expiresAt });
  }
  for (const { id } of await listMedia(tx, video.id)) await writeFailed(tx, id);
}
