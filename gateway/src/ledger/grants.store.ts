/** Grants: units that were given to a space, and what remains of them. */
import { type Transaction, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import { printUnits } from '../kernel/units.ts';
import { settleAccount } from './accounts.store.ts';
import { insertEntry } from './journal.store.ts';
import { type GivenUnits, grantEntry } from './postings.ts';

export interface NewGrant extends GivenUnits {
  /** Only promo units expire. */
  readonly expiresAt: Instant | null;
}

/** Gives units: inserts the grant and its journal entry. */
export async function giveUnits(tx: Transaction, grant: NewGrant): Promise<void> {
  await settleAccount(tx, grant.spaceId, grant.createdAt);
  await insertGrant(tx, grant);
  await insertEntry(tx, grantEntry(grant));
}

/** Inserts only the grant; the same transaction must write its journal entry. */
export async function insertGrant(tx: Transaction, grant: NewGrant): Promise<void> {
  const amount = printUnits(grant.amount);
  await tx.query(sql`
    insert into grants (id, space_id, kind, amount, remaining, expires_at, note, created_at)
    values (${grant.id}, ${grant.spaceId}, ${grant.kind}, ${amount}, ${amount},
      ${grant.expiresAt === null ? null : timestamp(grant.expiresAt)}, ${grant.note}, ${timestamp(grant.createdAt)})`);
}
