/** Lists the batches of a caller, the newest first. */
import { ownerScope, type Principal } from '../access/principal.ts';
import type { BatchList } from '../contract/batches.ts';
import { type IdPageRequest, unknownCursor, writeIdPage } from '../contract/pages.ts';
import { isId } from '../kernel/ids.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import { batchObject } from './batch-object.ts';
import { findBatchPage, findOwnBatch } from './batches.store.ts';
import type { BatchTools } from './find-batch.ts';

export async function listOwnBatches(
  request: { principal: Principal; page: IdPageRequest },
  { db }: Pick<BatchTools, 'db'>,
): Promise<BatchList> {
  const { after, limit } = request.page;
  const caller = ownerScope(request.principal);
  return await whenAvailable(async () => {
    if (after !== null && (!isId('batch', after) || (await findOwnBatch(db, after, caller)) === null))
      throw unknownCursor('a batch', after);
    const batches = await findBatchPage(db, caller, request.page);
    return writeIdPage(batches.map(batchObject), limit);
  });
}
