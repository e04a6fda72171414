/** Cancels a batch when its owner asks for it. */
import type { Principal } from '../access/principal.ts';
import { enqueueJob, lockJob } from '../jobs/jobs.store.ts';
import { Problem } from '../kernel/problem.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import { BATCH_JOB } from './advance-batch.ts';
import { type Batch, moveBatch } from './batches.store.ts';
import { type BatchTools, getBatch } from './find-batch.ts';

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
