/** Keys: what callers hold. */
import { type Queryable, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import { parseUnits, printUnits, type Units } from '../kernel/units.ts';
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

/** A key as it is listed. */
export interface ListedKey extends Key {
  /** Units a month, as a decimal; null is no limit. */
  readonly monthLimit: string | null;
}

export async function insertKey(db: Queryable, key: Key & { digest: string }): Promise<void> {
  await db.query(sql`
    insert into keys (id, space_id, kind, member_id, name, digest, hint, expires_at, created_at)
    values (${key.id}, ${key.spaceId}, ${key.kind}, ${key.memberId}, ${key.name}, ${key.digest}, ${key.hint},
      ${timestamp(key.expiresAt)}, ${timestamp(key.createdAt)})`);
}

export async function listKeys(db: Queryable, spaceId: string): Promise<ListedKey[]> {
  return await db.query<ListedKey>(sql`
    select id, space_id as "spaceId", kind, member_id as "memberId", name, hint,
      expires_at as "expiresAt", created_at as "createdAt", month_limit as "monthLimit"
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
  const [row] = await db.query<PrincipalRow>(sql`
    select k.id as "keyId", k.kind as "keyKind", k.space_id as "spaceId", s.name as "spaceName",
      k.member_id as "memberId", k.expires_at as "expiresAt", s.keep_responses as "keepsResponses",
      k.month_limit as "keyMonthLimit", m.month_limit as "memberMonthLimit"
    from keys k join spaces s on s.id = k.space_id left join members m on m.id = k.member_id
    where k.digest = ${digest} and k.revoked_at is null and m.removed_at is null`);
  if (row === undefined) return null;
  const { keyMonthLimit, memberMonthLimit } = row;
  return {
    ...row,
    keyMonthLimit: keyMonthLimit === null ? null : parseUnits(keyMonthLimit),
    memberMonthLimit: memberMonthLimit === null ? null : parseUnits(memberMonthLimit),
  };
}

type PrincipalRow = Omit<Principal, 'keyMonthLimit' | 'memberMonthLimit'> & {
  readonly keyMonthLimit: string | null;
  readonly memberMonthLimit: string | null;
};

/** Answers whether there is such a key. */
export async function limitKey(
  db: Queryable,
  at: { spaceId: string; name: string; limit: Units | null },
): Promise<boolean> {
  const rows = await db.query(sql`
    update keys set month_limit = ${at.limit === null ? null : printUnits(at.limit)}
    where space_id = ${at.spaceId} and name = ${at.name} and revoked_at is null returning id`);
  return rows.length > 0;
}

/** Moves with every change to spaces, members and keys. */
export async function readAccessEpoch(db: Queryable): Promise<number> {
  const [row] = await db.query<{ epoch: number }>(sql`select epoch from access_epoch`);
  return row?.epoch ?? 0;
}
