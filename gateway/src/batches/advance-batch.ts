/**
 * The durable job of a batch, from its submission to its settlement. Each turn reads the state of the batch and makes
 * the next move, so another process can continue after a crash.
 */
import type { Readable } from 'node:stream';
import { listBudgetsOfKey } from '../access/budgets.store.ts';
import { backgroundPrincipal } from '../access/principal.ts';
import { findSpaceById } from '../access/spaces.store.ts';
import { findOwnFile, type StoredFile } from '../batch-files/files.store.ts';
import type { Blobs } from '../blobs/blobs.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { JobResult } from '../jobs/job-runner.ts';
import { endJob, type LeasedJob, requireLease } from '../jobs/jobs.store.ts';
import type { Instant } from '../kernel/time.ts';
import { readCap } from '../metering/reserves.store.ts';
import type { BatchEngine, EngineEnd, EngineRun } from './batch-engine.ts';
import type { BatchStatus } from './batch-state.ts';
import { type Batch, type BatchError, findBatch, moveBatch } from './batches.store.ts';
import { settleBatch } from './settle-batch.ts';
import type { WriteResultsTools } from './write-results.ts';

export const BATCH_JOB = 'batch';

export interface AdvanceTools extends WriteResultsTools {
  readonly blobs: Blobs;
  readonly catalog: () => Catalog;
  /** The engine that runs the lines of a batch. */
  engineOf(batch: Batch): BatchEngine;
}

export async function advanceBatch(
  job: LeasedJob,
  signal: AbortSignal,
  tools: AdvanceTools,
): Promise<JobResult> {
  for (;;) {
    const batch = await findBatch(tools.db, job.subject);
    if (batch === null) {
      await endJob(tools.db, job);
      return 'ended';
    }
    const leased = { batch, job };
    switch (batch.status) {
      case 'validating':
        await validate(leased, tools);
        break;
      case 'in_progress':
      case 'cancelling': {
        const end = await process(leased, signal, tools);
        if (end === 'stopped') return { again: tools.clock.now() };
        if (typeof end === 'object' && 'again' in end) return { again: end.again };
        await move(
          leased,
          nextOf(batch.status, end),
          tools,
          typeof end === 'object' ? end.failed : undefined,
        );
        break;
      }
      case 'finalizing':
        await move(leased, 'completed', tools);
        break;
      default:
        return await settle(leased, signal, tools);
    }
  }
}

/** A batch whose job this process has leased. */
interface LeasedBatch {
  readonly batch: Batch;
  readonly job: LeasedJob;
}

/** The file or the model may have gone since the submission. */
async function validate(leased: LeasedBatch, tools: AdvanceTools): Promise<void> {
  const { batch } = leased;
  const file = await inputFile(batch, tools);
  const model = tools.catalog().models.get(batch.model);
  const errors: BatchError[] = [];
  const add = (code: string, message: string, param: string | null): void => {
    errors.push({ code, message, param, line: null });
  };
  if (file === null) add('file_not_found', 'The input file no longer exists.', 'input_file_id');
  if (model?.supportsBatch !== true) {
    add('model_not_batchable', `The model ${batch.model} no longer supports batches.`, 'model');
  }
  if (errors.length > 0) await move(leased, 'failed', tools, errors);
  else await move(leased, 'in_progress', tools);
}

async function process(leased: LeasedBatch, signal: AbortSignal, tools: AdvanceTools): Promise<EngineEnd> {
  return await tools.engineOf(leased.batch).run(await runOf(leased, tools), signal);
}

async function runOf({ batch, job }: LeasedBatch, tools: AdvanceTools): Promise<EngineRun> {
  const cap = await readCap(tools.db, { spaceId: batch.spaceId, ref: batch.id });
  return {
    batch,
    job,
    principal: await principalOf(batch, tools),
    cap,
    input: () => openInput(batch, tools),
  };
}

function nextOf(status: BatchStatus, end: Exclude<EngineEnd, 'stopped' | { again: Instant }>): BatchStatus {
  if (typeof end === 'object') return 'failed';
  // It finished before the cancellation took effect.
  if (end === 'all') return status === 'cancelling' ? 'completed' : 'finalizing';
  return end === 'expired' && status === 'in_progress' ? 'expired' : 'cancelled';
}

/** If another process moved the batch first, the next read shows it. */
async function move(
  { batch, job }: LeasedBatch,
  to: BatchStatus,
  { db, clock }: AdvanceTools,
  errors?: readonly BatchError[],
): Promise<void> {
  await db.transaction(async (tx) => {
    await requireLease(tx, job);
    await moveBatch(tx, batch.id, { to, at: clock.now(), ...(errors !== undefined && { errors }) });
  });
}

async function settle(leased: LeasedBatch, signal: AbortSignal, tools: AdvanceTools): Promise<JobResult> {
  const { job } = leased;
  const { settlementStatus } = leased.batch;
  if (settlementStatus === 'settled' || settlementStatus === 'quarantined') {
    await endJob(tools.db, job);
    return 'ended';
  }
  const engine = tools.engineOf(leased.batch);
  const batch = await verifyAgain(leased, signal, { engine, tools });
  const model = tools.catalog().models.get(batch.model) ?? null;
  const caller = await principalOf(batch, tools);
  const settling = { batch, job, model, caller, input: () => openInput(batch, tools) };
  const settled = await settleBatch(settling, tools);
  // Best effort: what stays at the provider expires there.
  if (settled) await engine.forget?.(batch, signal).catch(() => undefined);
  return 'ended';
}

/** Reads results that failed verification again, including after an operator requeued the settlement. */
async function verifyAgain(
  leased: LeasedBatch,
  signal: AbortSignal,
  { engine, tools }: { engine: BatchEngine; tools: AdvanceTools },
): Promise<Batch> {
  const { batch } = leased;
  if (batch.mismatch === null || batch.settlementStatus !== 'queued') return batch;
  await engine.readAgain?.(await runOf(leased, tools), signal);
  return (await findBatch(tools.db, batch.id)) ?? batch;
}

async function principalOf(batch: Batch, { db }: AdvanceTools) {
  const { keyId, spaceId, memberId } = batch;
  const space = await findSpaceById(db, spaceId);
  if (space === null) throw new Error(`the space ${spaceId} is gone`);
  const { name: spaceName, rules } = space;
  const { unpriced_allowed: unpricedAllowed } = rules;
  const budgets = await listBudgetsOfKey(db, keyId);
  const of = { keyId, spaceId, memberId, spaceName, unpricedAllowed };
  return backgroundPrincipal(budgets.length === 0 ? of : { ...of, budgets });
}

async function inputFile(batch: Batch, { db }: AdvanceTools): Promise<StoredFile | null> {
  // A file that expires while its batch runs stays readable for the batch.
  return await findOwnFile(db, batch.inputFileId, { ...batch, now: batch.createdAt });
}

async function openInput(batch: Batch, tools: AdvanceTools): Promise<Readable> {
  const file = await inputFile(batch, tools);
  const stream = file === null ? null : await tools.blobs.open(file.blob);
  if (stream === null) throw new Error(`the input of ${batch.id} is gone`);
  return stream;
}
