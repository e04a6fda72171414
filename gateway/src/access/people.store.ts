/** People who can sign in. The memberships of a confirmed person are found by e-mail. */
import { type Queryable, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import { revokeTokensOf } from './admin-tokens.store.ts';
import { revokeInvitationsBy } from './invitations.store.ts';
import { deleteSessionsOf } from './sessions.store.ts';

export interface PersonRecord {
  readonly id: string;
  readonly email: string;
  readonly nickname: string;
  readonly passwordHash: string | null;
  readonly isOperator: boolean;
  /** The issuer whose groups made the person an operator; null: an operator did. */
  readonly operatorIssuer: string | null;
  readonly createdAt: Instant;
  /** Whether an operator or an issuer vouched for the address; anyone else sees only what they were invited to. */
  readonly confirmed: boolean;
}

/** Creates the person unless they exist. */
export async function ensurePerson(
  db: Queryable,
  person: { id: string; email: string; nickname: string; now: Instant },
): Promise<PersonRecord> {
  await db.query(sql`
    insert into people (id, email, nickname, created_at)
    values (${person.id}, ${person.email}, ${person.nickname}, ${timestamp(person.now)})
    on conflict (lower(email)) do nothing`);
  return (await findPerson(db, person.email)) as PersonRecord;
}

/** Creates a person whom nobody vouched for; null if the address already has one. */
export async function insertUnconfirmedPerson(
  db: Queryable,
  person: { id: string; email: string; nickname: string; passwordHash: string; now: Instant },
): Promise<string | null> {
  const [row] = await db.query<{ id: string }>(sql`
    insert into people (id, email, nickname, password_hash, confirmed, created_at)
    values (${person.id}, ${person.email}, ${person.nickname}, ${person.passwordHash}, false,
      ${timestamp(person.now)})
    on conflict (lower(email)) do nothing returning id`);
  return row?.id ?? null;
}

/**
 * For an operator or an issuer that vouches for the address. Someone who used an unconfirmed person until now may not be
 * the owner of the address, so their password, sessions, tokens and invitations end. False if the person is confirmed
 * already.
 */
export async function confirmPerson(db: Queryable, personId: string, now: Instant): Promise<boolean> {
  const [person] = await db.query<{ email: string }>(sql`
    update people set confirmed = true, password_hash = null
    where id = ${personId} and not confirmed returning email`);
  if (person === undefined) return false;
  await deleteSessionsOf(db, personId);
  await revokeTokensOf(db, person.email, now);
  await revokeInvitationsBy(db, person.email, now);
  return true;
}

export async function findPerson(db: Queryable, email: string): Promise<PersonRecord | null> {
  const [person] = await db.query<PersonRecord>(sql`
    select id, email, nickname, password_hash as "passwordHash", is_operator as "isOperator",
      operator_issuer as "operatorIssuer", created_at as "createdAt",
      confirmed
    from people p where lower(email) = lower(${email})`);
  return person ?? null;
}

/** The nickname a member with this e-mail has; null when there is no such member. */
export async function findMemberNickname(db: Queryable, email: string): Promise<string | null> {
  const [member] = await db.query<{ nickname: string }>(sql`
    select nickname from members where lower(email) = lower(${email}) and removed_at is null order by id limit 1`);
  return member?.nickname ?? null;
}

export async function listOperators(db: Queryable): Promise<PersonRecord[]> {
  return await db.query<PersonRecord>(sql`
    select id, email, nickname, password_hash as "passwordHash", is_operator as "isOperator",
      operator_issuer as "operatorIssuer", created_at as "createdAt",
      confirmed
    from people p where is_operator order by id`);
}

/** `issuer`: the issuer whose groups give the rights; left out: an operator does. */
export async function updateOperator(
  db: Queryable,
  personId: string,
  { isOperator, issuer = null, now }: { isOperator: boolean; issuer?: string | null; now: Instant },
): Promise<void> {
  if (isOperator) await confirmPerson(db, personId, now);
  await db.query(sql`
    update people set is_operator = ${isOperator}, operator_issuer = ${issuer}::text where id = ${personId}`);
}

/** For operators, who vouch for the address by it. */
export async function updatePassword(
  db: Queryable,
  personId: string,
  { hash, now }: { hash: string; now: Instant },
): Promise<void> {
  await confirmPerson(db, personId, now);
  await db.query(sql`update people set password_hash = ${hash} where id = ${personId}`);
}

/** False if the password has changed meanwhile. */
export async function replacePassword(
  db: Queryable,
  personId: string,
  { oldHash, newHash }: { oldHash: string | null; newHash: string },
): Promise<boolean> {
  const rows = await db.query(sql`
    update people set password_hash = ${newHash}
    where id = ${personId} and password_hash is not distinct from ${oldHash}::text returning id`);
  return rows.length > 0;
}
