/** Invoices the overage of a space: the amount moves from the account `overage` to `invoiced`. */
import type { Transaction } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import { type Units, ZERO } from '../kernel/units.ts';
import { settleAccount } from './accounts.store.ts';
import { insertEntry } from './journal.store.ts';
import { invoiceEntry } from './postings.ts';

/** Returns the invoiced amount. Writes nothing when no overage is owed. */
export async function invoiceOverage(
  tx: Transaction,
  invoice: { id: string; spaceId: string; note: string; at: Instant },
): Promise<Units> {
  const amount = await settleAccount(tx, invoice.spaceId, invoice.at);
  if (amount === ZERO) return amount;
  await tx.query(sql`update accounts set overage_accrued = 0 where space_id = ${invoice.spaceId}`);
  await insertEntry(tx, invoiceEntry({ ...invoice, amount }));
  return amount;
}
