/** Batches: their progress and charge, and settling those that are quarantined. */
import { BATCH_JOB } from '../batches/advance-batch.ts';
import { findBatch, moveSettlement } from '../batches/batches.store.ts';
import { enqueueJob, lockJob } from '../jobs/jobs.store.ts';
import { Problem } from '../kernel/problem.ts';
import { readBatchPage } from '../reports/lists/batch-page.store.ts';
import { change, read } from './operation.ts';
import { listedMember } from './owned.ts';
import { answeredPage, shownRow, wantedPage } from './page.ts';
import { readRange } from './read-input.ts';

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

const list = read('batches.list', async ({ db, space, own }, input) => {
  const { status, settlement, model } = input;
  const owner = await listedMember(db, { space, own }, input.email);
  const of = { spaceId: space.id, status, settlement, model, owner, ...readRange(input) };
  return answeredPage(await readBatchPage(db, { ...of, ...wantedPage(input) }), shownRow);
});

const get = read('batches.get', async ({ db, space, own }, { batch: id }) => {
  const owner = own?.memberId ?? null;
  const { rows } = await readBatchPage(db, { spaceId: space.id, id, owner, limit: 1, after: null });
  const [row] = rows;
  if (row !== undefined) return shownRow(row);
  throw new Problem('batch_not_found', {
    detail: `There is no batch ${id} in ${space.name}.`,
    param: 'batch',
  });
});

const quarantine = read('quarantine.list', async ({ db }, input) => {
  const of = { spaceId: null, settlement: 'quarantined', ...wantedPage(input) } as const;
  return answeredPage(await readBatchPage(db, of), shownRow);
});

export const batchOperations = [list, get, quarantine, requeue] as const;
