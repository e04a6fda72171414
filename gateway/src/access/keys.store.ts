/** Keys, with their digests, limits and expiry. */
import { type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { CALL_ANSWER_MS } from '../database/deadlines.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import { parseUnits, printUnits, type Units } from '../kernel/units.ts';
import type { KeyStanding } from './key-standing.ts';
import type { KeyKind, Principal, Rate } from './principal.ts';

export interface Key {
  readonly id: string;
  readonly spaceId: string;
  readonly kind: KeyKind;
  readonly memberId: string | null;
  /** The member who created it; null for an operator. */
  readonly createdBy: string | null;
  readonly name: string;
  readonly hint: string;
  readonly expiresAt: Instant;
  readonly createdAt: Instant;
}

/** A key with its rules. */
export interface ListedKey extends Key {
  /** The end that an administrator set: no rotation by its owner goes beyond it. Null: none. */
  readonly endsAt: Instant | null;
  readonly disabled: boolean;
  /** Null: all models of the space. */
  readonly models: readonly string[] | null;
  /** Units per calendar month (KST); null: unlimited. */
  readonly monthLimit: Units | null;
  /** Null: unlimited. */
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  /** Until when its previous secret keeps working. */
  readonly formerUntil: Instant | null;
}

/** The times of a key that was rotated. */
export interface RotatedTimes extends Pick<ListedKey, 'expiresAt' | 'endsAt'> {
  readonly formerUntil: Instant;
}

/** The secret of a key, as it is stored. */
export interface KeyDigest {
  readonly digest: string;
  readonly hint: string;
}

export async function insertKey(tx: Queryable, key: Key & KeyDigest): Promise<void> {
  await tx.query(sql`
    insert into keys (id, space_id, kind, member_id, created_by, name, digest, hint, expires_at, created_at)
    values (${key.id}, ${key.spaceId}, ${key.kind}, ${key.memberId}, ${key.createdBy}, ${key.name}, ${key.digest},
      ${key.hint}, ${timestamp(key.expiresAt)}, ${timestamp(key.createdAt)})`);
}

export async function listKeys(db: Queryable, spaceId: string): Promise<ListedKey[]> {
  return await readKeys(db, { spaceId, name: null });
}

export async function findKey(
  db: Queryable,
  at: { spaceId: string; name: string },
): Promise<ListedKey | null> {
  const [key] = await readKeys(db, at);
  return key ?? null;
}

/** Whether a space has or had this key: also a revoked one. */
export async function hadKey(
  db: Queryable,
  { id, spaceId, memberId }: { id: string; spaceId: string; memberId: string | null },
): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 from keys where id = ${id} and space_id = ${spaceId}
      and (${memberId}::text is null or member_id = ${memberId})`);
  return rows.length > 0;
}

/** Those of the ids that are or were keys: also revoked ones. */
export async function listKeyIds(db: Queryable, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db.query<{ id: string }>(sql`select id from keys where id = any(${ids}::text[])`);
  return rows.map(({ id }) => id);
}

async function readKeys(db: Queryable, of: { spaceId: string; name: string | null }): Promise<ListedKey[]> {
  const rows = await db.query<Omit<ListedKey, 'monthLimit'> & { monthLimit: string | null }>(sql`
    select id, space_id as "spaceId", kind, member_id as "memberId", created_by as "createdBy", name, hint,
      expires_at as "expiresAt", ends_at as "endsAt", created_at as "createdAt", month_limit as "monthLimit",
      disabled_at is not null as disabled, models, former_until as "formerUntil",
      requests_per_minute as "requestsPerMinute", tokens_per_minute as "tokensPerMinute"
    from keys where space_id = ${of.spaceId} and revoked_at is null and (${of.name}::text is null or name = ${of.name})
    order by id`);
  return rows.map((row) => ({ ...row, monthLimit: unitsOrNull(row.monthLimit) }));
}

export async function revokeKey(tx: Transaction, id: string, now: Instant): Promise<void> {
  await tx.query(sql`update keys set revoked_at = ${timestamp(now)} where id = ${id}`);
}

export async function limitKey(tx: Transaction, id: string, limit: Units | null): Promise<void> {
  await tx.query(
    sql`update keys set month_limit = ${limit === null ? null : printUnits(limit)} where id = ${id}`,
  );
}

/** Null enables it again. */
export async function disableKey(tx: Transaction, id: string, at: Instant | null): Promise<void> {
  await tx.query(sql`update keys set disabled_at = ${at === null ? null : timestamp(at)} where id = ${id}`);
}

/** For administrators: also a rotation by its owner keeps to it. */
export async function expireKey(tx: Transaction, id: string, at: Instant): Promise<void> {
  await tx.query(sql`
    update keys set expires_at = ${timestamp(at)}, ends_at = ${timestamp(at)} where id = ${id}`);
}

export async function allowModels(
  tx: Transaction,
  id: string,
  models: readonly string[] | null,
): Promise<void> {
  await tx.query(sql`update keys set models = ${models}::text[] where id = ${id}`);
}

/** The key keeps its id, limits and spending; its old secret keeps working until `formerUntil`. */
export async function rotateKey(tx: Transaction, id: string, to: KeyDigest & RotatedTimes): Promise<void> {
  await tx.query(sql`
    update keys set former_digest = digest, former_until = ${timestamp(to.formerUntil)},
      digest = ${to.digest}, hint = ${to.hint}, expires_at = ${timestamp(to.expiresAt)},
      ends_at = ${to.endsAt === null ? null : timestamp(to.endsAt)}
    where id = ${id}`);
}

/** Revoked keys and keys of removed members are not found, so they are rejected like unknown ones. */
export async function findPrincipal(db: Queryable, digest: string): Promise<Principal | null> {
  const statement = sql`
    select k.id as "keyId", k.kind as "keyKind", k.space_id as "spaceId", s.name as "spaceName",
      k.member_id as "memberId", s.keep_responses as "keepsResponses", s.unpriced_allowed as "unpricedAllowed",
      k.disabled_at is not null as disabled, k.models, m.models as "memberModels", m.expires_at as "memberExpiresAt",
      nullif(s.aliases, '{}') as aliases,
      case when k.digest = ${digest} then k.expires_at else least(k.expires_at, k.former_until) end as "expiresAt",
      k.month_limit as "keyMonthLimit", m.month_limit as "memberMonthLimit",
      k.requests_per_minute as "keyRequests", k.tokens_per_minute as "keyTokens",
      m.requests_per_minute as "memberRequests", m.tokens_per_minute as "memberTokens",
      s.requests_per_minute as "spaceRequests", s.tokens_per_minute as "spaceTokens"
    from keys k join spaces s on s.id = k.space_id left join members m on m.id = k.member_id
    where (k.digest = ${digest} or k.former_digest = ${digest}) and k.revoked_at is null and m.removed_at is null`;
  const [row] = await db.query<PrincipalRow>({ ...statement, timeoutMs: CALL_ANSWER_MS });
  if (row === undefined) return null;
  const { keyRequests, keyTokens, memberRequests, memberTokens, spaceRequests, spaceTokens, ...others } = row;
  const { models, memberModels, aliases, ...rest } = others;
  return {
    ...rest,
    digest,
    models: modelsOfBoth(models, memberModels),
    ...(aliases !== null && { aliases: new Map(Object.entries(aliases)) }),
    keyMonthLimit: unitsOrNull(row.keyMonthLimit),
    memberMonthLimit: unitsOrNull(row.memberMonthLimit),
    keyRate: rateOf(keyRequests, keyTokens),
    memberRate: rateOf(memberRequests, memberTokens),
    spaceRate: rateOf(spaceRequests, spaceTokens),
  };
}

/** Those that are not revoked, by the digests of their secrets. `blocked`: an operator blocked the space. */
export async function findStandings(
  db: Queryable,
  digests: readonly string[],
): Promise<Array<KeyStanding & { digest: string; blocked: boolean }>> {
  const statement = sql`
    select d.digest, k.id as "keyId", k.disabled_at is not null as disabled, s.blocked_at is not null as blocked,
      case when k.digest = d.digest then k.expires_at else least(k.expires_at, k.former_until) end as "expiresAt",
      m.expires_at as "memberExpiresAt"
    from unnest(${digests}::text[]) as d (digest)
      join keys k on k.digest = d.digest or k.former_digest = d.digest
      join spaces s on s.id = k.space_id left join members m on m.id = k.member_id
    where k.revoked_at is null and m.removed_at is null`;
  return await db.query({ ...statement, timeoutMs: CALL_ANSWER_MS });
}

type PrincipalRow = Omit<
  Principal,
  'models' | 'aliases' | 'keyMonthLimit' | 'memberMonthLimit' | 'keyRate' | 'memberRate' | 'spaceRate'
> & {
  readonly models: readonly string[] | null;
  readonly memberModels: readonly string[] | null;
  readonly aliases: Readonly<Record<string, string>> | null;
  readonly keyMonthLimit: string | null;
  readonly memberMonthLimit: string | null;
  readonly keyRequests: number | null;
  readonly keyTokens: number | null;
  readonly memberRequests: number | null;
  readonly memberTokens: number | null;
  readonly spaceRequests: number | null;
  readonly spaceTokens: number | null;
};

/** Null is no restriction: a list of one narrows what the other allows. */
function modelsOfBoth(
  key: readonly string[] | null,
  member: readonly string[] | null,
): ReadonlySet<string> | null {
  if (key === null || member === null) return key === member ? null : new Set(key ?? member);
  return new Set(key.filter((code) => member.includes(code)));
}

function unitsOrNull(amount: string | null): Units | null {
  return amount === null ? null : parseUnits(amount);
}

function rateOf(requestsPerMinute: number | null, tokensPerMinute: number | null): Rate | null {
  return requestsPerMinute === null && tokensPerMinute === null
    ? null
    : { requestsPerMinute, tokensPerMinute };
}

/** Null removes a limit; a limit that is left out stays. */
export async function rateKey(db: Queryable, id: string, rate: Partial<Rate>): Promise<void> {
  const { requestsPerMinute: requests, tokensPerMinute: tokens } = rate;
  await db.query(sql`
    update keys set
      requests_per_minute = case when ${requests === undefined} then requests_per_minute else ${requests ?? null}::integer end,
      tokens_per_minute = case when ${tokens === undefined} then tokens_per_minute else ${tokens ?? null}::integer end
    where id = ${id}`);
}

/**
 * Waits for every other change of spaces, members and keys, and keeps new ones waiting until the transaction ends
 * (LOCKS.md).
 */
export async function lockAccess(tx: Transaction): Promise<void> {
  await tx.query(sql`select epoch from access_epoch for update`);
}

/** Increases with every change of a space, member or key. */
export async function readAccessEpoch(db: Queryable): Promise<number> {
  const statement = sql`select epoch from access_epoch`;
  const [row] = await db.query<{ epoch: number }>({ ...statement, timeoutMs: CALL_ANSWER_MS });
  return row?.epoch ?? 0;
}
