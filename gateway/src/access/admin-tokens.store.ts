/** Administration tokens: credentials of programs that administer a space or the installation. */
import { type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';

/** What a credential may do with what it can reach. */
export type AccessLevel = 'read' | 'write';

export interface AdminToken {
  readonly id: string;
  readonly name: string;
  /** What lists show of the secret. */
  readonly hint: string;
  /** Null: the whole installation. */
  readonly spaceId: string | null;
  readonly access: AccessLevel;
  /** Who created it, as in the audit log. */
  readonly createdBy: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  readonly revokedAt: Instant | null;
  /** To the minute; null: not used yet. */
  readonly lastUsedAt: Instant | null;
}

export type NewAdminToken = Omit<AdminToken, 'revokedAt' | 'lastUsedAt'> & { readonly digest: string };

export async function insertAdminToken(tx: Transaction, token: NewAdminToken): Promise<void> {
  await tx.query(sql`
    insert into admin_tokens (id, name, digest, hint, space_id, access, created_by, created_at, expires_at)
    values (${token.id}, ${token.name}, ${token.digest}, ${token.hint}, ${token.spaceId}, ${token.access},
      ${token.createdBy}, ${timestamp(token.createdAt)}, ${timestamp(token.expiresAt)})`);
}

/** By the digest of its secret; null if it is unknown or revoked. The caller checks when it expires. */
export async function findAdminToken(db: Queryable, digest: string): Promise<AdminToken | null> {
  const [token] = await db.query<AdminToken>(sql`
    select id, name, hint, space_id as "spaceId", access, created_by as "createdBy", created_at as "createdAt",
      expires_at as "expiresAt", revoked_at as "revokedAt", last_used_at as "lastUsedAt"
    from admin_tokens where digest = ${digest} and revoked_at is null`);
  return token ?? null;
}

export async function isTokenNameUsed(
  db: Queryable,
  of: { spaceId: string | null; name: string },
): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 as one from admin_tokens
    where coalesce(space_id, '') = coalesce(${of.spaceId}::text, '') and name = ${of.name} and revoked_at is null`);
  return rows.length > 0;
}

/** Null if there is no such token in the scope, or it was revoked before. `spaceId` null: of the installation. */
export async function revokeAdminToken(
  tx: Transaction,
  of: { spaceId: string | null; id: string },
  now: Instant,
): Promise<Pick<AdminToken, 'id' | 'name' | 'access'> | null> {
  const [revoked] = await tx.query<Pick<AdminToken, 'id' | 'name' | 'access'>>(sql`
    update admin_tokens set revoked_at = ${timestamp(now)}
    where id = ${of.id} and space_id is not distinct from ${of.spaceId}::text and revoked_at is null
    returning id, name, access`);
  return revoked ?? null;
}

export async function touchAdminToken(db: Queryable, id: string, now: Instant): Promise<void> {
  await db.query(sql`
    update admin_tokens set last_used_at = ${timestamp(now)}
    where id = ${id} and (last_used_at is null or last_used_at < ${timestamp(now)})`);
}

/**
 * Newest first, without revoked ones. `spaceId` null: of the installation; left out: of everything. `next`: the id to
 * continue after; null on the last page.
 */
export async function listAdminTokens(
  db: Queryable,
  of: { spaceId?: string | null; limit: number; after: string | null },
): Promise<{ rows: readonly AdminToken[]; next: string | null }> {
  const everything = of.spaceId === undefined;
  const found = await db.query<AdminToken>(sql`
    select id, name, hint, space_id as "spaceId", access, created_by as "createdBy", created_at as "createdAt",
      expires_at as "expiresAt", revoked_at as "revokedAt", last_used_at as "lastUsedAt"
    from admin_tokens
    where revoked_at is null and (${everything} or space_id is not distinct from ${of.spaceId ?? null}::text)
      and (${of.after}::text is null or id < ${of.after})
    order by id desc limit ${of.limit + 1}`);
  const rows = found.slice(0, of.limit);
  return { rows, next: found.length > of.limit ? (rows.at(-1)?.id ?? null) : null };
}
