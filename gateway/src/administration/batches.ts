/** Batches for the operator: what there is, and letting go those whose settlement was held back. */
import { BATCH_JOB } from '../batches/advance-batch.ts';
import { findBatch, listBatches, moveSettlement } from '../batches/batches.store.ts';
import { enqueueJob, lockJob } from '../jobs/jobs.store.ts';
import { isoOf } from '../kernel/time.ts';
import { printUnits } from '../kernel/units.ts';
import { spaceNamed, text, whole } from './args.ts';
import { type AdminCommands, AdminError, change, question } from './command.ts';

const BATCH_ID = /^batch_[0-9a-z]{26}$/;
const SETTLEMENT = /^(pending|queued|processing|settling|settled|quarantined)$/;

export const batchCommands: AdminCommands = {
  'batches.list': question(async ({ db }, args) => {
    const spaceId = args.space === undefined ? null : (await spaceNamed(db, args)).id;
    const settlement = args.settlement === undefined ? null : text(args, 'settlement', SETTLEMENT);
    const limit = whole(args, 'limit', { min: 1, max: 1_000, unless: 20 });
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
  }),

  'batches.requeue': change('batches.requeue', async (tx, args, now) => {
    const id = text(args, 'id', BATCH_ID);
    const batch = await findBatch(tx, id);
    if (batch === null) throw new AdminError(`There is no batch ${id}. "tollgate batches list" shows them.`);
    await lockJob(tx, { kind: BATCH_JOB, subject: id });
    if (!(await moveSettlement(tx, id, { to: 'queued' }))) {
      throw new AdminError(
        `The settlement of ${id} is ${batch.settlementStatus}; only a quarantined one is let go.`,
      );
    }
    await enqueueJob(tx, { kind: BATCH_JOB, subject: id, dueAt: now, now });
    const before = { settlement: 'quarantined', reason: batch.settlementReason };
    const after = { settlement: 'queued' };
    return { answer: { id, ...after }, space: { id: batch.spaceId }, subject: id, before, after };
  }),
};
