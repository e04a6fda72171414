/**
 * Settlement: a batch that has ended is charged for the lines that went well. Its files are written first,
 * unseen; then one transaction takes the units, adds them to the totals, and shows the amount and the files.
 * Where an amount cannot be known nothing is charged and nothing is called free: the batch waits for an
 * operator.
 */

import type { Readable } from 'node:stream';
import { insertFile } from '../batch-files/files.store.ts';
import { FILE_DAYS } from '../batch-files/upload-batch-file.ts';
import type { PendingBlob } from '../blobs/blob-keeper.ts';
import type { Model } from '../catalog/model.ts';
import type { Transaction } from '../database/database.ts';
import { LONG_ANSWER_MS } from '../database/deadlines.ts';
import { endJob, type HeldJob, holdJob } from '../jobs/jobs.store.ts';
import { DAY_MS } from '../kernel/durations.ts';
import { type Instant, monthOf } from '../kernel/time.ts';
import { type Units, ZERO } from '../kernel/units.ts';
import { insertEntry, lockAccount, takeUnits } from '../ledger/journal.store.ts';
import { addTotals } from '../metering/totals.store.ts';
import { deleteLines, type LineSums, sumLines } from './batch-lines.store.ts';
import { type Batch, moveSettlement, writeSettled } from './batches.store.ts';
import { priceLines } from './price-lines.ts';
import { type ResultBlobs, type WriteResultsTools, writeResults } from './write-results.ts';

export interface SettleBatch {
  readonly batch: Batch;
  readonly job: HeldJob;
  /** Null when the catalogue no longer has it. */
  readonly model: Model | null;
  /** Opens the input file again. */
  input(): Promise<Readable>;
}

/** Ends the job, whichever way it goes; false when the batch was held back. */
export async function settleBatch(settling: SettleBatch, tools: WriteResultsTools): Promise<boolean> {
  const { batch, job, model } = settling;
  if (batch.settlementStatus === 'queued') await step(settling, 'processing', tools);
  if (model !== null) await priceLines(batch.id, model, tools.db);
  const sums = await sumLines(tools.db, batch.id);
  const reason = reasonToWait(batch, sums);
  if (reason !== null) {
    await tools.db.transaction(async (tx) => {
      await holdJob(tx, job);
      await moveSettlement(tx, batch.id, { to: 'quarantined', reason });
      await endJob(tx, job);
    });
    return false;
  }
  const blobs = await writeFiles(settling, sums, tools);
  if (batch.settlementStatus !== 'settling') await step(settling, 'settling', tools);
  // It deletes the lines, which may be many.
  const deadline = { timeoutMs: LONG_ANSWER_MS };
  await tools.db.transaction((tx) => charge(tx, settling, { sums, blobs, at: tools.clock.now() }), deadline);
  return true;
}

async function step(
  { batch, job }: SettleBatch,
  to: 'processing' | 'settling',
  { db }: WriteResultsTools,
): Promise<void> {
  await db.transaction(async (tx) => {
    await holdJob(tx, job);
    await moveSettlement(tx, batch.id, { to });
  });
}

/** A sentence for the operator; null when everything is known. */
function reasonToWait({ completed, doubt, failed, status, total }: Batch, sums: LineSums): string | null {
  if (doubt !== null) return doubt;
  if (sums.unpriced > 0) {
    return `${sums.unpriced} of ${sums.ok} lines that went well have no known usage or price`;
  }
  if (sums.lines !== completed + failed || sums.ok !== completed) {
    return `${sums.lines} lines are written (${sums.ok} went well), but ${completed + failed} (${completed}) were counted`;
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
  // A batch that failed as a whole has errors of its own, and no lines.
  if (batch.status === 'failed' && sums.lines === 0) return { output: null, errors: null };
  return await writeResults(batch, sums.lines === batch.total ? null : await input(), tools);
}

async function charge(
  tx: Transaction,
  { batch, job }: SettleBatch,
  { sums, blobs, at }: { sums: LineSums; blobs: ResultBlobs; at: Instant },
): Promise<void> {
  await holdJob(tx, job);
  await lockAccount(tx, batch.spaceId);
  const { id, spaceId, keyId, model } = batch;
  const entryId = sums.cost === ZERO ? null : await insertCharge(tx, batch, { amount: sums.cost, at });
  const counted = { requests: sums.ok, unpriced: 0, cost: sums.cost };
  if (sums.ok > 0) await addTotals(tx, { spaceId, keyId, model, ...counted, at });
  const settled = await writeSettled(tx, id, {
    units: sums.cost,
    requests: sums.ok,
    at,
    month: monthOf(at),
    entryId,
    outputFileId: await showFile(tx, batch, { blob: blobs.output, name: 'output', at }),
    errorFileId: await showFile(tx, batch, { blob: blobs.errors, name: 'errors', at }),
  });
  if (!settled) throw new Error(`${id} cannot be settled from where it is`);
  await deleteLines(tx, id);
  await endJob(tx, job);
}

async function insertCharge(
  tx: Transaction,
  { id, spaceId }: Batch,
  { amount, at }: { amount: Units; at: Instant },
): Promise<number> {
  const { moves, grants } = await takeUnits(tx, { spaceId, amount, now: at });
  const entry = { spaceId, kind: 'charge', ref: id, grants, note: '', at } as const;
  return await insertEntry(tx, { ...entry, moves: { ...moves, spent: amount } });
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
    ...{ id: blob.name, spaceId, owner, purpose: 'batch_output', filename: `${id}_${name}.jsonl` },
    ...blob.soFar(),
    ...{ blob: blob.name, batch: null, batchId: id, createdAt: at, expiresAt: endedAt + FILE_DAYS * DAY_MS },
  });
  return blob.name;
}
