/**
 * The work of a batch, as a durable job: from the moment it was handed in to its settlement. Each turn looks
 * where the batch stands and takes it one move further; whoever takes it up after a crash does the same.
 */
import type { Readable } from 'node:stream';
import { backgroundPrincipal } from '../access/principal.ts';
import { findSpaceById } from '../access/spaces.store.ts';
import { findFile, type StoredFile } from '../batch-files/files.store.ts';
import type { Blobs } from '../blobs/blobs.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { JobResult } from '../jobs/job-runner.ts';
import { endJob, type HeldJob, holdJob } from '../jobs/jobs.store.ts';
import type { Instant } from '../kernel/time.ts';
import type { BatchEngine, EngineEnd, EngineRun } from './batch-engine.ts';
import type { BatchStatus } from './batch-state.ts';
import { type Batch, type BatchError, findBatch, moveBatch } from './batches.store.ts';
import { settleBatch } from './settle-batch.ts';
import type { WriteResultsTools } from './write-results.ts';

export const BATCH_JOB = 'batch';

export interface AdvanceTools extends WriteResultsTools {
  readonly blobs: Blobs;
  readonly catalog: () => Catalog;
  /** Where the lines of a batch run. */
  engineOf(batch: Batch): BatchEngine;
}

export async function advanceBatch(
  job: HeldJob,
  signal: AbortSignal,
  tools: AdvanceTools,
): Promise<JobResult> {
  for (;;) {
    const batch = await findBatch(tools.db, job.subject);
    if (batch === null) {
      await endJob(tools.db, job);
      return 'ended';
    }
    const held = { batch, job };
    switch (batch.status) {
      case 'validating':
        await validate(held, tools);
        break;
      case 'in_progress':
      case 'cancelling': {
        const end = await process(held, signal, tools);
        if (end === 'stopped') return { again: tools.clock.now() };
        if (typeof end === 'object' && 'again' in end) return { again: end.again };
        await move(held, nextOf(batch.status, end), tools, typeof end === 'object' ? end.failed : undefined);
        break;
      }
      case 'finalizing':
        await move(held, 'completed', tools);
        break;
      default:
        return await settle(held, signal, tools);
    }
  }
}

interface Held {
  readonly batch: Batch;
  readonly job: HeldJob;
}

/** What was true at the submission may not be any more. */
async function validate(held: Held, tools: AdvanceTools): Promise<void> {
  const { batch } = held;
  const file = await inputFile(batch, tools);
  const model = tools.catalog().models.get(batch.model);
  const errors: BatchError[] = [];
  const add = (code: string, message: string, param: string | null): void => {
    errors.push({ code, message, param, line: null });
  };
  if (file === null) add('file_not_found', 'The input file is no longer there.', 'input_file_id');
  if (model?.supportsBatch !== true) {
    add('model_not_batchable', `The model ${batch.model} no longer takes batches.`, 'model');
  }
  if (errors.length > 0) await move(held, 'failed', tools, errors);
  else await move(held, 'in_progress', tools);
}

async function process(held: Held, signal: AbortSignal, tools: AdvanceTools): Promise<EngineEnd> {
  return await tools.engineOf(held.batch).run(await runOf(held, tools), signal);
}

async function runOf({ batch, job }: Held, tools: AdvanceTools): Promise<EngineRun> {
  return { batch, job, principal: await principalOf(batch, tools), input: () => openInput(batch, tools) };
}

function nextOf(status: BatchStatus, end: Exclude<EngineEnd, 'stopped' | { again: Instant }>): BatchStatus {
  if (typeof end === 'object') return 'failed';
  // It finished before the wish to stop was heard.
  if (end === 'all') return status === 'cancelling' ? 'completed' : 'finalizing';
  return end === 'expired' && status === 'in_progress' ? 'expired' : 'cancelled';
}

/** A move that somebody else made first is found on the next look. */
async function move(
  { batch, job }: Held,
  to: BatchStatus,
  { db, clock }: AdvanceTools,
  errors?: readonly BatchError[],
): Promise<void> {
  await db.transaction(async (tx) => {
    await holdJob(tx, job);
    await moveBatch(tx, batch.id, { to, at: clock.now(), ...(errors !== undefined && { errors }) });
  });
}

async function settle(held: Held, signal: AbortSignal, tools: AdvanceTools): Promise<JobResult> {
  const { job } = held;
  if (held.batch.settlementStatus === 'settled' || held.batch.settlementStatus === 'quarantined') {
    await endJob(tools.db, job);
    return 'ended';
  }
  const engine = tools.engineOf(held.batch);
  const batch = await resolveDoubt(held, signal, { engine, tools });
  const model = tools.catalog().models.get(batch.model) ?? null;
  const settled = await settleBatch({ batch, job, model, input: () => openInput(batch, tools) }, tools);
  // Whatever is left behind expires by itself.
  if (settled) await engine.forget?.(batch, signal).catch(() => undefined);
  return 'ended';
}

/** What was in doubt is looked at again, also when an operator has let it go. */
async function resolveDoubt(
  held: Held,
  signal: AbortSignal,
  { engine, tools }: { engine: BatchEngine; tools: AdvanceTools },
): Promise<Batch> {
  const { batch } = held;
  if (batch.doubt === null || batch.settlementStatus !== 'queued') return batch;
  await engine.readAgain?.(await runOf(held, tools), signal);
  return (await findBatch(tools.db, batch.id)) ?? batch;
}

async function principalOf(batch: Batch, { db }: AdvanceTools) {
  const { keyId, spaceId, memberId } = batch;
  const space = await findSpaceById(db, spaceId);
  if (space === null) throw new Error(`the space ${spaceId} is gone`);
  return backgroundPrincipal({ keyId, spaceId, memberId, spaceName: space.name });
}

async function inputFile(batch: Batch, { db }: AdvanceTools): Promise<StoredFile | null> {
  // One that expires while its batch runs is read to the end.
  return await findFile(db, batch.inputFileId, { ...batch, now: batch.createdAt });
}

async function openInput(batch: Batch, tools: AdvanceTools): Promise<Readable> {
  const file = await inputFile(batch, tools);
  const stream = file === null ? null : await tools.blobs.open(file.blob);
  if (stream === null) throw new Error(`the input of ${batch.id} is gone`);
  return stream;
}
