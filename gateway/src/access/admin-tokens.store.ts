/** Administration tokens: credentials of programs that administer a space or the installation. */
import { type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { allOf, sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import { mayAdminister } from './owners.store.ts';

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
  /** Who answers for it: its creator, or who kept it when they left. */
  readonly owner: string;
  /** Whether the owner has the right to it now. A token has no more rights than its owner. */
  readonly isOwned: boolean;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  readonly revokedAt: Instant | null;
  /** To the minute; null: not used yet. */
  readonly lastUsedAt: Instant | null;
}

export type NewAdminToken = Omit<AdminToken, 'owner' | 'isOwned' | 'revokedAt' | 'lastUsedAt'> & {
  readonly digest: string;
};

/** A token that ended or got another owner, with the name of its space. */
export interface LostToken extends Pick<AdminToken, 'id' | 'name' | 'spaceId' | 'access'> {
  readonly space: string | null;
}

const owner = sql`coalesce(t.kept_by, t.created_by)`;
const isOwned = mayAdminister(owner, sql`t.space_id`);
const columns = sql`t.id, t.name, t.hint, t.space_id as "spaceId", t.access, t.created_by as "createdBy",
  ${owner} as owner, ${isOwned} as "isOwned", t.created_at as "createdAt", t.expires_at as "expiresAt",
  t.revoked_at as "revokedAt", t.last_used_at as "lastUsedAt"`;
const lostColumns = sql`t.id, t.name, t.space_id as "spaceId", t.access,
  (select s.name from spaces s where s.id = t.space_id) as space`;

export async function insertAdminToken(tx: Transaction, token: NewAdminToken): Promise<void> {
  await tx.query(sql`
    insert into admin_tokens (id, name, digest, hint, space_id, access, created_by, created_at, expires_at)
    values (${token.id}, ${token.name}, ${token.digest}, ${token.hint}, ${token.spaceId}, ${token.access},
      ${token.createdBy}, ${timestamp(token.createdAt)}, ${timestamp(token.expiresAt)})`);
}

/** By the digest of its secret; null if it is unknown or revoked. The caller checks its owner and when it expires. */
export async function findAdminToken(db: Queryable, digest: string): Promise<AdminToken | null> {
  const [token] = await db.query<AdminToken>(sql`
    select ${columns} from admin_tokens t where t.digest = ${digest} and t.revoked_at is null`);
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

/** Ends the tokens of an owner that they have no right to now. */
export async function revokeLostTokens(tx: Transaction, email: string, now: Instant): Promise<LostToken[]> {
  return await tx.query<LostToken>(sql`
    update admin_tokens t set revoked_at = ${timestamp(now)}
    where t.revoked_at is null and lower(${owner}) = lower(${email}) and not ${isOwned}
    returning ${lostColumns}`);
}

/** Gives the tokens of an owner that they have no right to now to another owner. */
export async function keepLostTokens(tx: Transaction, email: string, keptBy: string): Promise<LostToken[]> {
  return await tx.query<LostToken>(sql`
    update admin_tokens t set kept_by = ${keptBy}
    where t.revoked_at is null and lower(${owner}) = lower(${email}) and not ${isOwned}
    returning ${lostColumns}`);
}

/** The ids of the tokens of an owner that they have no right to now. */
export async function listLostTokens(db: Queryable, email: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select t.id from admin_tokens t
    where t.revoked_at is null and lower(${owner}) = lower(${email}) and not ${isOwned}`);
  return rows.map(({ id }) => id);
}

/** Ends all tokens of an owner. */
export async function revokeTokensOf(db: Queryable, email: string, now: Instant): Promise<void> {
  await db.query(sql`
    update admin_tokens t set revoked_at = ${timestamp(now)}
    where t.revoked_at is null and lower(${owner}) = lower(${email})`);
}

/**
 * Newest first, without revoked ones. `spaceId` null: of the installation; left out: of everything. `owner` left out: of
 * anyone. `next`: the id to continue after; null on the last page.
 */
export async function listAdminTokens(
  db: Queryable,
  of: { spaceId?: string | null; owner?: string | undefined; limit: number; after: string | null },
): Promise<{ rows: ReadonlyArray<AdminToken & { readonly space: string | null }>; next: string | null }> {
  const conditions = [sql`t.revoked_at is null`];
  if (of.spaceId !== undefined) conditions.push(sql`t.space_id is not distinct from ${of.spaceId}::text`);
  if (of.owner !== undefined) conditions.push(sql`lower(${owner}) = lower(${of.owner})`);
  if (of.after !== null) conditions.push(sql`t.id < ${of.after}`);
  const found = await db.query<AdminToken & { space: string | null }>(sql`
    select ${columns}, s.name as space from admin_tokens t left join spaces s on s.id = t.space_id
    where ${allOf(conditions)} order by t.id desc limit ${of.limit + 1}`);
  const rows = found.slice(0, of.limit);
  return { rows, next: found.length > of.limit ? (rows.at(-1)?.id ?? null) : null };
}
