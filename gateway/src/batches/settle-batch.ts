/**
 * Settlement of a batch that has ended: it is charged for its successful lines. The result files are written
 * first, not yet visible; then one transaction charges the batch and publishes the amount and the files. When
 * the amount is unknown, nothing is charged and the batch is quarantined until an operator resolves it.
 */

import type { Readable } from 'node:stream';
import { findSpaceById } from '../access/spaces.store.ts';
import { raiseEvents } from '../alerts/events.store.ts';
import { insertFile } from '../batch-files/files.store.ts';
import { FILE_DAYS } from '../batch-files/upload-batch-file.ts';
import type { PendingBlob } from '../blobs/blob-keeper.ts';
import type { Model } from '../catalog/model.ts';
import type { Transaction } from '../database/database.ts';
import { LONG_ANSWER_MS } from '../database/deadlines.ts';
import { endJob, type LeasedJob, requireLease } from '../jobs/jobs.store.ts';
import { DAY_MS } from '../kernel/durations.ts';
import { type Instant, isoOf, monthOf } from '../kernel/time.ts';
import { ZERO } from '../kernel/units.ts';
import { chargeJob } from '../metering/charge-job.ts';
import { endReserve } from '../metering/reserves.store.ts';
import type { SettledJob } from '../metering/settled-job.ts';
import { readSpaceClass } from '../metering/space-class.ts';
import type { PricedCaller } from '../pricing/markup.ts';
import {
  deleteLines,
  type LineSums,
  sumAttributedLines,
  sumBudgetedLines,
  sumLines,
} from './batch-lines.store.ts';
import { type Batch, moveSettlement, writeSettled } from './batches.store.ts';
import { priceLines } from './price-lines.ts';
import { type ResultBlobs, type WriteResultsTools, writeResults } from './write-results.ts';

export interface SettleBatch {
  readonly batch: Batch;
  readonly job: LeasedJob;
  /** Null when the model was removed from the catalogue. */
  readonly model: Model | null;
  /** Whose prices are charged. */
  readonly caller: PricedCaller;
  /** Opens the input file. */
  input(): Promise<Readable>;
}

/** Ends the job in either case; false when the batch was quarantined. */
export async function settleBatch(settling: SettleBatch, tools: WriteResultsTools): Promise<boolean> {
  const { batch, model } = settling;
  if (batch.settlementStatus === 'queued') await step(settling, 'processing', tools);
  if (model !== null) await priceLines({ batch, model, caller: settling.caller }, tools.db);
  const sums = await sumLines(tools.db, batch.id);
  const reason = quarantineReason(batch, sums);
  if (reason !== null) {
    const alerted = await quarantine(settling, reason, tools);
    tools.onSettled?.({ ...(await settledJob(batch, tools)), result: 'quarantined', units: ZERO, alerted });
    return false;
  }
  const blobs = await writeFiles(settling, sums, tools);
  if (batch.settlementStatus !== 'settling') await step(settling, 'settling', tools);
  // The transaction deletes the lines, and there may be many.
  const deadline = { timeoutMs: LONG_ANSWER_MS };
  await tools.db.transaction((tx) => settle(tx, settling, { sums, blobs, at: tools.clock.now() }), deadline);
  tools.onSettled?.({ ...(await settledJob(batch, tools)), result: 'settled', units: sums.cost });
  return true;
}

/** Returns whether somebody is alerted. */
async function quarantine(
  { batch, job }: SettleBatch,
  reason: string,
  { db, clock }: WriteResultsTools,
): Promise<boolean> {
  return await db.transaction(async (tx) => {
    await requireLease(tx, job);
    const now = clock.now();
    const { id, spaceId, model } = batch;
    const space = await findSpaceById(tx, spaceId);
    const data = { space: space?.name, batch_id: id, model, reason };
    const once = { subject: id, period: isoOf(now), threshold: '' };
    const raised = await raiseEvents(tx, [{ kind: 'settlement.quarantined', spaceId, ...once, data }], now);
    await moveSettlement(tx, id, { to: 'quarantined', reason });
    await endJob(tx, job);
    return raised.length > 0;
  });
}

async function settledJob(
  { spaceId, model }: Batch,
  { db }: WriteResultsTools,
): Promise<Pick<SettledJob, 'kind' | 'spaceClass' | 'model'>> {
  return { kind: 'batch', spaceClass: await readSpaceClass(db, spaceId), model };
}

async function step(
  { batch, job }: SettleBatch,
  to: 'processing' | 'settling',
  { db }: WriteResultsTools,
): Promise<void> {
  await db.transaction(async (tx) => {
    await requireLease(tx, job);
    await moveSettlement(tx, batch.id, { to });
  });
}

/** A message for the operator; null when the amount is known and the counts agree. */
function quarantineReason(
  { completed, mismatch, failed, status, total }: Batch,
  sums: LineSums,
): string | null {
  if (mismatch !== null) return mismatch;
  if (sums.unpriced > 0) {
    return `${sums.unpriced} of ${sums.ok} lines that succeeded have no known usage or price`;
  }
  if (sums.lines !== completed + failed || sums.ok !== completed) {
    return `${sums.lines} lines have a result (${sums.ok} succeeded), but the batch counts ${completed + failed} (${completed} succeeded)`;
  }
  if (status === 'completed' && sums.lines !== total) {
    return `only ${sums.lines} of ${total} lines have a result`;
  }
  return null;
}

async function writeFiles(
  { batch, input }: SettleBatch,
  sums: LineSums,
  tools: WriteResultsTools,
): Promise<ResultBlobs> {
  // A batch that was rejected as a whole has no lines; its errors are part of the batch object.
  if (batch.status === 'failed' && sums.lines === 0) return { output: null, errors: null };
  return await writeResults(batch, sums.lines === batch.total ? null : await input(), tools);
}

/** One transaction, so that a batch is never charged without its files or shown without its charge. */
async function settle(
  tx: Transaction,
  { batch, job }: SettleBatch,
  { sums, blobs, at }: { sums: LineSums; blobs: ResultBlobs; at: Instant },
): Promise<void> {
  await requireLease(tx, job);
  const { id, spaceId, keyId, model } = batch;
  const counted = { requests: sums.ok, unpriced: 0, cost: sums.cost };
  const parts = { attributed: await sumAttributedLines(tx, id), budgeted: await sumBudgetedLines(tx, id) };
  const entryId = await chargeJob(tx, { id, spaceId, keyId, model, ...counted, ...parts, at });
  await endReserve(tx, { spaceId, ref: id });
  const settled = await writeSettled(tx, id, {
    units: sums.cost,
    requests: sums.ok,
    at,
    month: monthOf(at),
    entryId,
    outputFileId: await showFile(tx, batch, { blob: blobs.output, name: 'output', at }),
    errorFileId: await showFile(tx, batch, { blob: blobs.errors, name: 'errors', at }),
  });
  if (!settled) throw new Error(`${id} cannot be settled from its current status`);
  await deleteLines(tx, id);
  await endJob(tx, job);
}

async function showFile(
  tx: Transaction,
  batch: Batch,
  { blob, name, at }: { blob: PendingBlob | null; name: string; at: Instant },
): Promise<string | null> {
  if (blob === null) return null;
  const { id, spaceId, owner } = batch;
  const endedAt = batch.completedAt ?? batch.cancelledAt ?? batch.expiredAt ?? batch.failedAt ?? at;
  await blob.adopt(tx);
  await insertFile(tx, {
    id: blob.name,
    spaceId,
    owner,
    purpose: 'batch_output',
    filename: `${id}_${name}.jsonl`,
    ...blob.soFar(),
    blob: blob.name,
    batch: null,
    batchId: id,
    createdAt: at,
    expiresAt: endedAt + FILE_DAYS * DAY_MS,
  });
  return blob.name;
}
