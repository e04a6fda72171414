/** Batches whose settlement is quarantined. */
import { BATCH_JOB } from '../batches/advance-batch.ts';
import { findBatch, moveSettlement } from '../batches/batches.store.ts';
import { enqueueJob, lockJob } from '../jobs/jobs.store.ts';
import { Problem } from '../kernel/problem.ts';
import { change } from './operation.ts';

const requeue = change('batches.requeue', async ({ tx, now }, { batch: id }) => {
  const batch = await findBatch(tx, id);
  if (batch === null)
    throw new Problem('batch_not_found', { detail: `There is no batch ${id}.`, param: 'batch' });
  await lockJob(tx, { kind: BATCH_JOB, subject: id });
  if (!(await moveSettlement(tx, id, { to: 'queued' }))) {
    throw new Problem('conflict', {
      detail: `The settlement of ${id} is ${batch.settlementStatus}; only a quarantined settlement can be queued again.`,
    });
  }
  await enqueueJob(tx, { kind: BATCH_JOB, subject: id, dueAt: now, now });
  const before = { settlement: 'quarantined', reason: batch.settlementReason };
  const after = { settlement: 'queued' as const };
  return { answer: { id, ...after }, space: { id: batch.spaceId }, subject: id, before, after };
});

export const batchOperations = [requeue] as const;
