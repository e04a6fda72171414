/** Submits a batch: one transaction inserts the batch, what it may cost, and the job that runs it. */

import { ownerOf, type Principal } from '../access/principal.ts';
import { findSpaceById } from '../access/spaces.store.ts';
import { holdFile } from '../batch-files/files.store.ts';
import { type FileTools, getFile, noFile } from '../batch-files/open-file.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { chargedPrice } from '../catalog/charged-price.ts';
import type { BatchRequest } from '../contract/batches.ts';
import { type Tags, tagsInMetadata } from '../contract/tags.ts';
import type { Queryable } from '../database/database.ts';
import type { Claim, Once } from '../idempotency/once.ts';
import { enqueueJob } from '../jobs/jobs.store.ts';
import { jsonDigest } from '../kernel/digest.ts';
import { DAY_MS } from '../kernel/durations.ts';
import { newId } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import { checkStorable } from '../kernel/storable-text.ts';
import { type Units, ZERO } from '../kernel/units.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import type { Admission } from '../metering/admission.ts';
import { defaultTags } from '../metering/attribution/attributions.ts';
import { type MatchedBudget, purseOf } from '../metering/budgets/match-budgets.ts';
import { type HeldSlices, reserveUnits } from '../metering/reserves.store.ts';
import { batchPrice } from '../pricing/model-price.ts';
import { BATCH_JOB } from './advance-batch.ts';
import { batchBudgets } from './batch-budgets.ts';
import { batchReserve } from './batch-reserve.ts';
import { type Batch, type BatchTags, findBatch, insertBatch, type NewBatch } from './batches.store.ts';

export const WINDOW_MS = DAY_MS;

export interface SubmitTools extends FileTools {
  readonly once: Once;
  readonly catalog: () => Catalog;
  readonly admission: Pick<Admission, 'reserve'>;
  /** False: what batches may cost does not count before they are settled. */
  readonly reservesBatches: boolean;
}

export interface Submission {
  readonly principal: Principal;
  readonly request: BatchRequest;
  /** The Idempotency-Key. Null: every submission creates a batch. */
  readonly key: string | null;
  /** Of the header; null: none. */
  readonly tags: Tags | null;
}

export async function submitBatch(submission: Submission, tools: SubmitTools): Promise<Batch> {
  const { principal, request, key } = submission;
  checkStorable(request.metadata, 'metadata');
  if (key === null) return await submit(submission, { claim: null, digest: '' }, tools);
  const digest = jsonDigest({ ...request, metadata: request.metadata ?? null });
  const scope = { spaceId: principal.spaceId, owner: ownerOf(principal) };
  const begun = await whenAvailable(() => tools.once.begin({ ...scope, operation: 'batches.create', key }));
  if (begun.decided) return await mustFind(tools.db, begun.replay(digest));
  try {
    return await submit(submission, { claim: begun, digest }, tools);
  } catch (error) {
    await begun.fail(digest, error);
    throw error;
  }
}

async function submit(
  submission: Submission,
  { claim, digest }: { claim: Claim | null; digest: string },
  tools: SubmitTools,
): Promise<Batch> {
  const { db, clock } = tools;
  const { principal } = submission;
  const { batch, units, budgets } = await check(submission, tools);
  const whole = tools.reservesBatches;
  const counted = whole ? units : ZERO;
  const store = async (slices: HeldSlices): Promise<Batch> => {
    const now = clock.now();
    const made = await db.transaction(async (tx) => {
      await enqueueJob(tx, { kind: BATCH_JOB, subject: batch.id, dueAt: now, now });
      const inBudgets = new Map([...budgets].map(([budget, most]) => [purseOf(budget), most]));
      const reserve = { ref: batch.id, principal, units: counted, budgets: inBudgets, slices };
      if (whole || budgets.size > 0) await reserveUnits(tx, reserve);
      // It may have been deleted since it was checked.
      if (!(await holdFile(tx, batch.inputFileId))) throw noFile(batch.inputFileId, 'input_file_id');
      await insertBatch(tx, batch);
      await claim?.complete(tx, { digest, outcome: { result: batch.id } });
      // As it was submitted: a moment later it may run already.
      return await mustFind(tx, batch.id);
    });
    claim?.close();
    return made;
  };
  const reserve = { units: counted, whole, budgets };
  return await whenAvailable(() =>
    tools.admission.reserve(principal, reserve, (reservation) => reservation.store(store)),
  );
}

interface CheckedBatch {
  readonly batch: NewBatch;
  /** What it may cost. */
  readonly units: Units;
  /** What it may cost in hard budgets. */
  readonly budgets: ReadonlyMap<MatchedBudget, Units>;
}

async function check({ principal, request, tags }: Submission, tools: SubmitTools): Promise<CheckedBatch> {
  const file = await inputFile({ principal, id: request.input_file_id }, tools);
  if (file.batch === null) {
    throw new Problem('invalid_parameter', {
      detail: `The file ${file.id} is a result of a batch; upload the input with purpose batch.`,
      param: 'input_file_id',
    });
  }
  const { endpoint, model: code, rowCount } = file.batch;
  if (request.endpoint !== endpoint) {
    throw new Problem('endpoint_mismatch', {
      detail: `The lines of the file are for ${endpoint}; submit it with that endpoint.`,
      param: 'endpoint',
    });
  }
  const model = tools.catalog().seen(code, principal);
  if (model?.supportsBatch !== true) {
    throw new Problem('model_not_batchable', {
      detail: `The model ${code} of the file does not support batches; GET /v1/models shows which models do (supports_batch).`,
      param: 'input_file_id',
    });
  }
  await checkOverage(principal, tools);
  const now = tools.clock.now();
  const { spaceId, keyId, memberId } = principal;
  const batch = {
    id: newId('batch', now),
    spaceId,
    keyId,
    memberId,
    owner: ownerOf(principal),
    inputFileId: file.id,
    endpoint,
    model: code,
    total: rowCount,
    metadata: request.metadata ?? null,
    tags: batchTags(principal, tags, request.metadata),
    createdAt: now,
    expiresAt: now + WINDOW_MS,
  };
  const price = batchPrice(chargedPrice(model, principal, now));
  const budgets = await batchBudgets(
    { principal, file: { ...file, batch: file.batch }, model, price, tags: batch.tags },
    tools,
  );
  return { batch, units: batchReserve(file, model, price), budgets };
}

/** Those of its key and member are kept too, because its lines run without them. */
function batchTags({ rules }: Principal, header: Tags | null, metadata: unknown): BatchTags | null {
  const defaults = [
    ...tagsInMetadata(metadata),
    ...defaultTags(rules.key.tags),
    ...defaultTags(rules.member.tags),
  ];
  return header === null && defaults.length === 0 ? null : { header, defaults };
}

async function inputFile(at: { principal: Principal; id: string }, tools: SubmitTools) {
  try {
    return await getFile(at, tools);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'file_not_found') throw error;
    throw noFile(at.id, 'input_file_id');
  }
}

/** The cost is known only at the end, so only a space that permits overage can submit a batch. */
async function checkOverage(principal: Principal, { db }: SubmitTools): Promise<void> {
  const space = await whenAvailable(() => findSpaceById(db, principal.spaceId));
  if (space?.rules.overage_allowed !== true) {
    throw new Problem('OVERAGE_NOT_ALLOWED', {
      detail:
        'The cost of a batch is known only when it is done, so the space must permit overage; buying units is not ' +
        'enough. An administrator can permit it.',
    });
  }
}

async function mustFind(db: Queryable, id: string): Promise<Batch> {
  const batch = await findBatch(db, id);
  if (batch === null) throw new Error(`the batch ${id} is gone`);
  return batch;
}
