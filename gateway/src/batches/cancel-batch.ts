/** Finds a batch for its owner, and cancels it on request. */
import { ownerOf, type Principal } from '../access/principal.ts';
import type { Database } from '../database/database.ts';
import { enqueueJob, lockJob } from '../jobs/jobs.store.ts';
import { isId } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import { BATCH_JOB } from './advance-batch.ts';
import { type Batch, findOwnBatch, moveBatch } from './batches.store.ts';

export interface BatchTools {
  readonly db: Database;
  readonly clock: Clock;
}

/** Missing batches and those of other owners get the same answer. */
export async function getBatch(
  request: { principal: Principal; id: string },
  { db }: BatchTools,
): Promise<Batch> {
  const { principal, id } = request;
  const caller = { spaceId: principal.spaceId, owner: ownerOf(principal) };
  const batch = isId('batch', id) ? await whenAvailable(() => findOwnBatch(db, id, caller)) : null;
  if (batch !== null) return batch;
  throw new Problem('batch_not_found', {
    detail: `There is no batch ${JSON.stringify(id.slice(0, 100))} that this key can see.`,
    param: 'batch_id',
  });
}

/** Only accepts the request: running lines finish, and finished lines are kept and charged. */
export async function cancelBatch(
  request: { principal: Principal; id: string },
  tools: BatchTools,
): Promise<Batch> {
  const batch = await getBatch(request, tools);
  if (batch.status === 'cancelling') return batch;
  const { db, clock } = tools;
  const now = clock.now();
  const moved = await whenAvailable(() =>
    db.transaction(async (tx) => {
      await lockJob(tx, { kind: BATCH_JOB, subject: batch.id });
      const accepted = await moveBatch(tx, batch.id, { to: 'cancelling', at: now });
      if (accepted) await enqueueJob(tx, { kind: BATCH_JOB, subject: batch.id, dueAt: now, now });
      return accepted;
    }),
  );
  const found = await getBatch(request, tools);
  if (moved || found.status === 'cancelling') return found;
  throw new Problem('batch_not_cancellable', {
    detail: `The batch is ${found.status}: there is nothing left to cancel.`,
  });
}
