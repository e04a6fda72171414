/**
 * Charges a finished batch or video: the ledger takes the units and writes the journal entry, and the usage
 * totals grow in the same transaction. It stands in metering because totals do, and because the ledger knows
 * nothing of keys, models and requests. Calls take the other way, `calls.store.ts`.
 */
import type { Transaction } from '../database/database.ts';
import { chargeSpace } from '../ledger/charge.ts';
import { type AddedTotal, addTotals } from './totals.store.ts';

export interface JobCharge extends AddedTotal {
  /** The id of the batch or video job. */
  readonly id: string;
}

/** Returns the id of the journal entry; null when the job cost nothing. */
export async function chargeJob(tx: Transaction, job: JobCharge): Promise<number | null> {
  const entryId = await chargeSpace(tx, {
    spaceId: job.spaceId,
    ref: job.id,
    amount: job.cost,
    at: job.at,
  });
  // A batch without a single successful line leaves no row in the totals.
  if (job.requests > 0) await addTotals(tx, job);
  return entryId;
}
