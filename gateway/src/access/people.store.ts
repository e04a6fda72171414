/** People who can sign in. Their memberships are found by e-mail. */
import { type Queryable, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';

export interface PersonRecord {
  readonly id: string;
  readonly email: string;
  readonly nickname: string;
  readonly passwordHash: string | null;
  readonly isOperator: boolean;
  readonly createdAt: Instant;
  /** Whether the e-mail is a member of any space now. */
  readonly isMember: boolean;
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

export async function findPerson(db: Queryable, email: string): Promise<PersonRecord | null> {
  const [person] = await db.query<PersonRecord>(sql`
    select id, email, nickname, password_hash as "passwordHash", is_operator as "isOperator",
      created_at as "createdAt",
      exists (select 1 from members m where lower(m.email) = lower(p.email) and m.removed_at is null) as "isMember"
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
      created_at as "createdAt",
      exists (select 1 from members m where lower(m.email) = lower(p.email) and m.removed_at is null) as "isMember"
    from people p where is_operator order by id`);
}

export async function updateOperator(db: Queryable, personId: string, isOperator: boolean): Promise<void> {
  await db.query(sql`update people set is_operator = ${isOperator} where id = ${personId}`);
}

export async function updatePassword(db: Queryable, personId: string, hash: string): Promise<void> {
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
