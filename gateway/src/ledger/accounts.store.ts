/** The account of a space: the row that every movement of its units locks, and the overage it owes. */
import type { Transaction } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { parseUnits, printUnits, type Units } from '../kernel/units.ts';

export async function insertAccount(tx: Transaction, spaceId: string): Promise<void> {
  await tx.query(sql`insert into accounts (space_id) values (${spaceId})`);
}

/**
 * Every transaction that moves units of a space calls this first, and holds the lock until it ends. Returns
 * the accrued overage.
 */
export async function lockAccount(tx: Transaction, spaceId: string): Promise<Units> {
  const [row] = await tx.query<{ overage: string }>(
    sql`select overage_accrued as overage from accounts where space_id = ${spaceId} for update`,
  );
  if (row === undefined) throw new Error(`the space ${spaceId} has no account`);
  return parseUnits(row.overage);
}

/** The database rejects an amount above what is owed. */
export async function lowerOverage(tx: Transaction, spaceId: string, amount: Units): Promise<void> {
  await tx.query(sql`
    update accounts set overage_accrued = overage_accrued - ${printUnits(amount)} where space_id = ${spaceId}`);
}
