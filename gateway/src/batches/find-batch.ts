/** Finds a batch for its owner. */
import { ownerOf, type Principal } from '../access/principal.ts';
import type { Database } from '../database/database.ts';
import { isId } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import { type Batch, findOwnBatch } from './batches.store.ts';

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
