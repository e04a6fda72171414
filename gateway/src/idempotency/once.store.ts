/** The rows of idempotency keys. */
import type { OwnerScope } from '../access/principal.ts';
import { type Queryable, timestamp } from '../database/database.ts';
import { CALL_ANSWER_MS, LONG_ANSWER_MS } from '../database/deadlines.ts';
import { sql, within } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';

/** A key is valid for one operation of one owner in one space. */
export interface OnceScope extends OwnerScope {
  readonly operation: OnceOperation;
  readonly key: string;
}

/** The same key may be used for different operations. */
export type OnceOperation = 'files.create' | 'batches.create' | 'video.create';

export interface KeyRow {
  readonly digest: string | null;
  readonly outcome: string | null;
  readonly expiresAt: Instant;
}

/** Claims a key that is new, or whose lease or outcome has expired. False when another request has it. */
export async function claimKey(
  db: Queryable,
  scope: OnceScope,
  claim: { token: string; now: Instant; leaseUntil: Instant },
): Promise<boolean> {
  const rows = await db.query(sql`
    insert into idempotency_keys as k (space_id, owner, operation, key, token, expires_at)
    values (${scope.spaceId}, ${scope.owner}, ${scope.operation}, ${scope.key}, ${claim.token},
      ${timestamp(claim.leaseUntil)})
    on conflict (space_id, owner, operation, key) do update
    set token = excluded.token, digest = null, outcome = null, expires_at = excluded.expires_at
    where k.expires_at <= ${timestamp(claim.now)}
    returning token`);
  return rows.length > 0;
}

export async function findIdempotencyKey(db: Queryable, scope: OnceScope): Promise<KeyRow | null> {
  const [row] = await db.query<KeyRow>(sql`
    select digest, outcome, expires_at as "expiresAt" from idempotency_keys
    where space_id = ${scope.spaceId} and owner = ${scope.owner} and operation = ${scope.operation}
      and key = ${scope.key}`);
  return row ?? null;
}

/** False when the claim is lost. */
export async function renewClaim(
  db: Queryable,
  scope: OnceScope,
  claim: { token: string; leaseUntil: Instant },
): Promise<boolean> {
  const rows = await db.query(
    // A renewal that hangs must leave time for another before the lease ends.
    within(
      CALL_ANSWER_MS,
      sql`
    update idempotency_keys set expires_at = greatest(expires_at, ${timestamp(claim.leaseUntil)})
    where space_id = ${scope.spaceId} and owner = ${scope.owner} and operation = ${scope.operation}
      and key = ${scope.key} and token = ${claim.token} and outcome is null
    returning token`,
    ),
  );
  return rows.length > 0;
}

/** False when the claim is lost. */
export async function decideKey(
  db: Queryable,
  scope: OnceScope,
  decision: { token: string; digest: string; outcome: string; expiresAt: Instant },
): Promise<boolean> {
  const rows = await db.query(sql`
    update idempotency_keys
    set digest = ${decision.digest}, outcome = ${decision.outcome}, expires_at = ${timestamp(decision.expiresAt)}
    where space_id = ${scope.spaceId} and owner = ${scope.owner} and operation = ${scope.operation}
      and key = ${scope.key} and token = ${decision.token} and outcome is null
    returning token`);
  return rows.length > 0;
}

/** Has no effect on a claim that is decided or lost. */
export async function releaseClaim(db: Queryable, scope: OnceScope, token: string): Promise<void> {
  await db.query(sql`
    delete from idempotency_keys
    where space_id = ${scope.spaceId} and owner = ${scope.owner} and operation = ${scope.operation}
      and key = ${scope.key} and token = ${token} and outcome is null`);
}

/** Returns how many were deleted: at most `rowsMax`, so that no delete blocks others for long. */
export async function deleteExpiredKeys(db: Queryable, now: Instant, rowsMax: number): Promise<number> {
  const rows = await db.query(
    within(
      LONG_ANSWER_MS,
      sql`
    delete from idempotency_keys where (space_id, owner, operation, key) in (
      select space_id, owner, operation, key from idempotency_keys
      where expires_at <= ${timestamp(now)} order by expires_at limit ${rowsMax} for update skip locked)
      and expires_at <= ${timestamp(now)}
    returning key`,
    ),
  );
  return rows.length;
}
