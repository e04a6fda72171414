/** Keys: what callers hold. */
import { type Queryable, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import type { KeyKind, Principal } from './principal.ts';

export interface Key {
  readonly id: string;
  readonly spaceId: string;
  readonly kind: KeyKind;
  readonly memberId: string | null;
  readonly name: string;
  readonly hint: string;
  readonly expiresAt: Instant;
  readonly createdAt: Instant;
}

export async function insertKey(db: Queryable, key: Key & { digest: string }): Promise<void> {
  await db.query(sql`
    insert into keys (id, space_id, kind, member_id, name, digest, hint, expires_at, created_at)
    values (${key.id}, ${key.spaceId}, ${key.kind}, ${key.memberId}, ${key.name}, ${key.digest}, ${key.hint},
      ${timestamp(key.expiresAt)}, ${timestamp(key.createdAt)})`);
}

export async function listKeys(db: Queryable, spaceId: string): Promise<Key[]> {
  return await db.query<Key>(sql`
    select id, space_id as "spaceId", kind, member_id as "memberId", name, hint,
      expires_at as "expiresAt", created_at as "createdAt"
    from keys where space_id = ${spaceId} and revoked_at is null order by id`);
}

/** Answers whether there was such a key to revoke. */
export async function revokeKey(
  db: Queryable,
  at: { spaceId: string; name: string; now: Instant },
): Promise<boolean> {
  const rows = await db.query(sql`
    update keys set revoked_at = ${timestamp(at.now)}
    where space_id = ${at.spaceId} and name = ${at.name} and revoked_at is null returning id`);
  return rows.length > 0;
}

/** Revoked keys and keys of removed members are not found, so they answer like unknown ones. */
export async function findPrincipal(db: Queryable, digest: string): Promise<Principal | null> {
  const [principal] = await db.query<Principal>(sql`
    select k.id as "keyId", k.kind as "keyKind", k.space_id as "spaceId", s.name as "spaceName",
      k.member_id as "memberId", k.expires_at as "expiresAt", s.keep_responses as "keepsResponses"
    from keys k join spaces s on s.id = k.space_id left join members m on m.id = k.member_id
    where k.digest = ${digest} and k.revoked_at is null and m.removed_at is null`);
  return principal ?? null;
}

/** Moves with every change to spaces, members and keys. */
export async function readAccessEpoch(db: Queryable): Promise<number> {
  const [row] = await db.query<{ epoch: number }>(sql`select epoch from access_epoch`);
  return row?.epoch ?? 0;
}
