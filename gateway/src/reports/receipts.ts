/** The receipt of a call, a line of a batch or a video for the key that sent it. */
import { ownerOf, type Principal } from '../access/principal.ts';
import type { ReceiptObject } from '../contract/receipt.ts';
import type { Database } from '../database/database.ts';
import { Problem } from '../kernel/problem.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import { findRecorded, listCorrections } from './explain.store.ts';
import { receiptObject } from './receipt-object.ts';

/** Unknown calls and those of other owners get the same answer. */
export async function readReceipt(
  { principal, id }: { principal: Principal; id: string },
  { db }: { db: Database },
): Promise<ReceiptObject> {
  return await whenAvailable(async () => {
    const call = await findRecorded(db, id);
    if (call === null || call.spaceId !== principal.spaceId || call.owner !== ownerOf(principal)) {
      throw new Problem('receipt_not_found', {
        detail: `There is no receipt ${JSON.stringify(id.slice(0, 100))} that this key can read.`,
        param: 'request_id',
      });
    }
    return receiptObject(call, await listCorrections(db, id));
  });
}
