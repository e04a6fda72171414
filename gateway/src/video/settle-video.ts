/**
 * The end of a video job: one transaction takes the units, adds them to the totals, shows the files and writes
 * how it ended, and the job is gone with it. What was not delivered is not charged, unless the provider says
 * that it charges all the same. Where an amount cannot be known the job is unpriced, never free.
 */

import { FILE_DAYS } from '../batch-files/upload-batch-file.ts';
import type { Model } from '../catalog/model.ts';
import type { Transaction } from '../database/database.ts';
import { endJob, holdJob } from '../jobs/jobs.store.ts';
import { DAY_MS } from '../kernel/durations.ts';
import type { Instant } from '../kernel/time.ts';
import { ZERO } from '../kernel/units.ts';
import { insertEntry, lockAccount, takeUnits } from '../ledger/journal.store.ts';
import { listMedia, writeFailed, writeReady } from '../media/media.store.ts';
import { addTotals } from '../metering/totals.store.ts';
import { type Charge, priceSeconds } from '../pricing/price.ts';
import type { CopiedFile, CopyTools } from './copy-files.ts';
import type { CountedUsage } from './count-usage.ts';
import type { HeldVideo } from './send-video.ts';
import { type EndedVideo, type JobError, type VideoJob, writeEnded } from './video-jobs.store.ts';

export interface VideoEnd {
  readonly status: EndedVideo['status'];
  readonly error: JobError | null;
  readonly files: readonly CopiedFile[];
  /** Null where nothing is charged; `usage` is null where nobody knows how much there was. */
  readonly charged: { readonly usage: CountedUsage | null } | null;
}

/** Ends the job. `model` is null when the catalogue no longer has it. */
export async function settleVideo(
  held: HeldVideo,
  { end, model }: { end: VideoEnd; model: Model | null },
  { db, clock }: CopyTools,
): Promise<void> {
  await db.transaction((tx) => settle(tx, held, { end, model, at: clock.now() }));
}

async function settle(
  tx: Transaction,
  { video, job }: HeldVideo,
  { end, model, at }: { end: VideoEnd; model: Model | null; at: Instant },
): Promise<void> {
  await holdJob(tx, job);
  const { status, error, charged } = end;
  const charge = priceOf(video, charged?.usage ?? null, model);
  const expiresAt = status === 'succeeded' ? at + FILE_DAYS * DAY_MS : null;
  const entryId = charged === null ? null : await takeCharge(tx, video, { charge, at });
  await showFiles(tx, video, { files: end.files, expiresAt });
  const ended = await writeEnded(tx, video.id, {
    ...{ status, at, expiresAt, error, usage: charged?.usage ?? null },
    charged: charged && { charge, entryId, priceVersion: model?.priceVersion ?? null },
  });
  if (!ended) throw new Error(`${video.id} cannot end from where it is`);
  await endJob(tx, job);
}

function priceOf({ request }: VideoJob, usage: CountedUsage | null, model: Model | null): Charge | null {
  if (usage === null || model === null) return null;
  return priceSeconds(usage.seconds, model.price, request?.resolution ?? null);
}

async function takeCharge(
  tx: Transaction,
  { id, spaceId, keyId, model }: VideoJob,
  { charge, at }: { charge: Charge | null; at: Instant },
): Promise<number | null> {
  await lockAccount(tx, spaceId);
  const amount = charge?.total ?? ZERO;
  const unpriced = charge === null ? 1 : 0;
  await addTotals(tx, { spaceId, keyId, model, requests: 1, unpriced, cost: amount, at });
  if (amount === ZERO) return null;
  const { moves, grants } = await takeUnits(tx, { spaceId, amount, now: at });
  const entry = { spaceId, kind: 'charge', ref: id, grants, note: '', at } as const;
  return await insertEntry(tx, { ...entry, moves: { ...moves, spent: amount } });
}

/** Those of which there is no copy, or none that anybody paid for, are failed. */
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
