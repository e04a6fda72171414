/** Batches as the operator sees them: listing, and settling those whose settlement is quarantined. */
import { Type } from 'typebox';
import { BATCH_JOB } from '../batches/advance-batch.ts';
import { findBatch, listBatches, moveSettlement } from '../batches/batches.store.ts';
import { enqueueJob, lockJob } from '../jobs/jobs.store.ts';
import { isoOf } from '../kernel/time.ts';
import { printUnits } from '../kernel/units.ts';
import { AdminError } from './admin-error.ts';
import { fields, generatedId, inSpace, LIST_LIMIT_DEFAULT, ListLimit } from './input-fields.ts';
import { spaceNamed } from './named-records.ts';
import { change, read } from './operation.ts';

const SETTLEMENT = ['pending', 'queued', 'processing', 'settling', 'settled', 'quarantined'] as const;

const list = read({
  name: 'batches.list',
  input: fields({ ...inSpace, settlement: Type.Optional(Type.Enum(SETTLEMENT)), limit: ListLimit }),
  async run({ db }, input) {
    const spaceId = input.space === undefined ? null : (await spaceNamed(db, input)).id;
    const { settlement = null, limit = LIST_LIMIT_DEFAULT } = input;
    return (await listBatches(db, { spaceId, settlement, limit })).map((batch) => ({
      id: batch.id,
      space: batch.space,
      model: batch.model,
      status: batch.status,
      done: `${batch.completed + batch.failed}/${batch.total}`,
      failed: batch.failed,
      settlement: batch.settlementStatus,
      units: batch.settledUnits === null ? null : printUnits(batch.settledUnits),
      created: isoOf(batch.createdAt),
      reason: batch.settlementReason,
    }));
  },
});

const requeue = change({
  name: 'batches.requeue',
  input: fields({ id: generatedId('batch') }),
  async run({ tx, now }, { id }) {
    const batch = await findBatch(tx, id);
    if (batch === null) throw new AdminError(`There is no batch ${id}. "tollgate batches list" shows them.`);
    await lockJob(tx, { kind: BATCH_JOB, subject: id });
    if (!(await moveSettlement(tx, id, { to: 'queued' }))) {
      throw new AdminError(
        `The settlement of ${id} is ${batch.settlementStatus}; only a quarantined settlement can be queued again.`,
      );
    }
    await enqueueJob(tx, { kind: BATCH_JOB, subject: id, dueAt: now, now });
    const before = { settlement: 'quarantined', reason: batch.settlementReason };
    const after = { settlement: 'queued' };
    return { answer: { id, ...after }, space: { id: batch.spaceId }, subject: id, before, after };
  },
});

export const batchOperations = [list, requeue] as const;
