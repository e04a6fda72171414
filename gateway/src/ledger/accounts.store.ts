/** The account of a space: the row that every movement of its units locks, and the overage it owes. */
import { type Transaction, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import { parseUnits, printUnits, type Units } from '../kernel/units.ts';

export async function insertAccount(tx: Transaction, spaceId: string): Promise<void> {
  await tx.query(sql`insert into accounts (space_id) values (${spaceId})`);
}

/** Holds the lock until the transaction ends. Charges of calls do not need it; everything else that moves units does. */
export async function lockAccount(tx: Transaction, spaceId: string): Promise<void> {
  const rows = await tx.query(sql`select 1 from accounts where space_id = ${spaceId} for update`);
  if (rows.length === 0) throw new Error(`the space ${spaceId} has no account`);
}

/**
 * Every transaction that moves units of a space calls this first: it locks the account and pays for the calls so far, so
 * that units move in the order in which they were used and given. Returns the accrued overage.
 */
export async function settleAccount(tx: Transaction, spaceId: string, now: Instant): Promise<Units> {
  await lockAccount(tx, spaceId);
  await tx.query(sql`select settle_space(${spaceId}, ${timestamp(now)})`);
  const [row] = await tx.query<{ overage: string }>(
    sql`select overage_accrued as overage from accounts where space_id = ${spaceId}`,
  );
  return parseUnits((row as { overage: string }).overage);
}

/** The database rejects an amount above what is owed. */
export async function lowerOverage(tx: Transaction, spaceId: string, amount: Units): Promise<void> {
  await tx.query(sql`
    update accounts set overage_accrued = overage_accrued - ${printUnits(amount)} where space_id = ${spaceId}`);
}
