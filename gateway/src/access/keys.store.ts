/** Keys, with their digests, limits and expiry. */
import { type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { CALL_ANSWER_MS } from '../database/deadlines.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import { budgetsOfKey, readBudget, type StoredBudget } from './budgets.store.ts';
import type { KeyStanding } from './key-standing.ts';
import type { KeyKind, Principal, Rate } from './principal.ts';
import { type Rules, readRules, type StoredRules, storedRules } from './rules.store.ts';

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
export interface ListedKey extends Omit<Key, 'expiresAt'> {
  readonly rules: Rules<'key'>;
  /** The end that an administrator set: no rotation by its owner goes beyond it. Null: none. */
  readonly endsAt: Instant | null;
  /** Until when its previous secret keeps working. */
  readonly formerUntil: Instant | null;
}

/** The times of a key that was rotated. */
export interface RotatedTimes extends Pick<Key, 'expiresAt'>, Pick<ListedKey, 'endsAt'> {
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

export async function findKey(
  db: Queryable,
  at: { spaceId: string; name: string },
): Promise<ListedKey | null> {
  const [key] = await db.query<Omit<ListedKey, 'rules'> & { rules: StoredRules }>(sql`
    select k.id, k.space_id as "spaceId", k.kind, k.member_id as "memberId", k.created_by as "createdBy", k.name, k.hint,
      k.ends_at as "endsAt", k.created_at as "createdAt", k.former_until as "formerUntil",
      ${storedRules('key', 'k')} as rules
    from keys k where k.space_id = ${at.spaceId} and k.revoked_at is null and k.name = ${at.name}`);
  return key === undefined ? null : { ...key, rules: readRules('key', key.rules) };
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

export async function revokeKey(tx: Transaction, id: string, now: Instant): Promise<void> {
  await tx.query(sql`update keys set revoked_at = ${timestamp(now)} where id = ${id}`);
}

/** Also a rotation by its owner keeps to an end that an administrator set. */
export async function endKey(tx: Transaction, id: string, at: Instant): Promise<void> {
  await tx.query(sql`update keys set ends_at = ${timestamp(at)} where id = ${id}`);
}

/** The key keeps its id, limits and spending; its old secret keeps working until `formerUntil`. */
export async function rotateKey(tx: Transaction, id: string, to: KeyDigest & RotatedTimes): Promise<void> {
  await tx.query(sql`
    update keys set former_digest = digest, former_until = ${timestamp(to.formerUntil)},
      digest = ${to.digest}, hint = ${to.hint}, expires_at = ${timestamp(to.expiresAt)},
      ends_at = ${to.endsAt === null ? null : timestamp(to.endsAt)}
    where id = ${id}`);
}

/** What a principal consists of; `k`, `s` and `m` are its key, space and member. */
export const principalFields = sql`
  k.id as "keyId", k.kind as "keyKind", k.space_id as "spaceId", s.name as "spaceName",
    k.member_id as "memberId", nullif(s.aliases, '{}') as aliases, ${budgetsOfKey} as budgets,
    ${storedRules('key', 'k')} as key, ${storedRules('member', 'm')} as member, ${storedRules('space', 's')} as space`;

/** Revoked keys and keys of removed members are not found, so they are rejected like unknown ones. */
export async function findPrincipal(db: Queryable, digest: string): Promise<Principal | null> {
  const statement = sql`
    select ${principalFields},
      case when k.digest = ${digest} then k.expires_at else least(k.expires_at, k.former_until) end as "expiresAt"
    from keys k join spaces s on s.id = k.space_id left join members m on m.id = k.member_id
    where (k.digest = ${digest} or k.former_digest = ${digest}) and k.revoked_at is null and m.removed_at is null`;
  const [row] = await db.query<PrincipalRow>({ ...statement, timeoutMs: CALL_ANSWER_MS });
  return row === undefined ? null : readPrincipal(row, digest);
}

export function readPrincipal(row: PrincipalRow, digest: string): Principal {
  const { aliases, budgets, key: ofKey, member: ofMember, space: ofSpace, ...rest } = row;
  const [key, member] = [readRules('key', ofKey), readRules('member', ofMember)];
  const space = readRules('space', ofSpace);
  return {
    ...rest,
    digest,
    ...(aliases !== null && { aliases: new Map(Object.entries(aliases)) }),
    ...(budgets !== null && { budgets: budgets.map(readBudget) }),
    rules: { key, member, space },
    memberExpiresAt: member.expires_at,
    disabled: key.disabled,
    models: modelsOfBoth(key.models, member.models),
    keyRate: rateOf(key),
    memberRate: rateOf(member),
    spaceRate: rateOf(space),
    keepsResponses: space.keeps_responses,
    unpricedAllowed: space.unpriced_allowed,
    overageAllowed: space.overage_allowed,
    blocked: space.blocked,
    hardLimits: space.hard_limits,
  };
}

/**
 * Those that are not revoked, by the digests of their secrets or the ids of the rules of workloads. `blocked`: an operator
 * blocked the space.
 */
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
    where k.revoked_at is null and m.removed_at is null
    union all
    select w.id, k.id, k.disabled_at is not null, s.blocked_at is not null, k.expires_at, null
    from workloads w join keys k on k.id = w.key_id join spaces s on s.id = k.space_id
    where w.id = any(${digests}::text[]) and k.revoked_at is null`;
  return await db.query({ ...statement, timeoutMs: CALL_ANSWER_MS });
}

export interface PrincipalRow
  extends Pick<Principal, 'keyId' | 'keyKind' | 'spaceId' | 'spaceName' | 'memberId' | 'expiresAt'> {
  readonly aliases: Readonly<Record<string, string>> | null;
  readonly budgets: readonly StoredBudget[] | null;
  readonly key: StoredRules;
  /** All null without a member. */
  readonly member: StoredRules;
  readonly space: StoredRules;
}

/** Null is no restriction: a list of one narrows what the other allows. */
function modelsOfBoth(
  key: readonly string[] | null,
  member: readonly string[] | null,
): ReadonlySet<string> | null {
  if (key === null || member === null) return key === member ? null : new Set(key ?? member);
  return new Set(key.filter((code) => member.includes(code)));
}

function rateOf(of: { requests_per_minute: number | null; tokens_per_minute: number | null }): Rate | null {
  const { requests_per_minute: requestsPerMinute, tokens_per_minute: tokensPerMinute } = of;
  return requestsPerMinute === null && tokensPerMinute === null
    ? null
    : { requestsPerMinute, tokensPerMinute };
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
