/** The account of a space: one row that every charge of the space locks. */
import type { Transaction } from '../database/database.ts';
import { sql } from '../database/sql.ts';

export async function insertAccount(tx: Transaction, spaceId: string): Promise<void> {
  await tx.query(sql`insert into accounts (space_id) values (${spaceId})`);
}
