/** Creates a space and its account in one transaction, because charging needs the account. */
import { insertSpace, type NewSpace } from '../access/spaces.store.ts';
import type { Transaction } from '../database/database.ts';
import { insertAccount } from './accounts.store.ts';

export async function openSpace(tx: Transaction, space: NewSpace): Promise<void> {
  await insertSpace(tx, space);
  await insertAccount(tx, space.id);
}
