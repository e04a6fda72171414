/** Units that were given to a space, and what is left of them. */
import { type Queryable, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import { parseUnits, printUnits, type Units } from '../kernel/units.ts';

export type GrantKind = 'promo' | 'paid';

export interface Grant {
  readonly id: string;
  readonly spaceId: string;
  readonly kind: GrantKind;
  readonly amount: Units;
  readonly remaining: Units;
  /** Only promo units expire. */
  readonly expiresAt: Instant | null;
  readonly note: string;
  readonly createdAt: Instant;
}

export async function insertGrant(db: Queryable, grant: Omit<Grant, 'remaining'>): Promise<void> {
  const amount = printUnits(grant.amount);
  await db.query(sql`
    insert into grants (id, space_id, kind, amount, remaining, expires_at, note, created_at)
    values (${grant.id}, ${grant.spaceId}, ${grant.kind}, ${amount}, ${amount},
      ${grant.expiresAt === null ? null : timestamp(grant.expiresAt)}, ${grant.note}, ${timestamp(grant.createdAt)})`);
}

type GrantRow = Omit<Grant, 'amount' | 'remaining'> & { amount: string; remaining: string };

export async function listGrants(db: Queryable, spaceId: string): Promise<Grant[]> {
  const rows = await db.query<GrantRow>(sql`
    select id, space_id as "spaceId", kind, amount, remaining, expires_at as "expiresAt", note,
      created_at as "createdAt"
    from grants where space_id = ${spaceId} order by id`);
  return rows.map((row) => ({
    ...row,
    amount: parseUnits(row.amount),
    remaining: parseUnits(row.remaining),
  }));
}
