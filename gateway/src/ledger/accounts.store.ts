/** The account of a space: one row that every charge of the space locks. */
import type { Transaction } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { printUnits, type Units } from '../kernel/units.ts';

export async function insertAccount(tx: Transaction, spaceId: string): Promise<void> {
  await tx.query(sql`insert into accounts (space_id) values (${spaceId})`);
}

export async function lowerOverage(tx: Transaction, spaceId: string, amount: Units): Promise<void> {
  await tx.query(sql`
    update accounts set overage_accrued = overage_accrued - ${printUnits(amount)} where space_id = ${spaceId}`);
}
