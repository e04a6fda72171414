/** Members: the people of a space. */
import { type Queryable, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import { parseUnits, printUnits, type Units } from '../kernel/units.ts';

export type Role = 'admin' | 'member';

export interface Member {
  readonly id: string;
  readonly spaceId: string;
  readonly email: string;
  readonly nickname: string;
  readonly role: Role;
  /** Units per calendar month (KST); null: unlimited. */
  readonly monthLimit: Units | null;
  readonly createdAt: Instant;
}

/** Where a membership comes from. */
export interface MemberSource {
  /** The issuer whose groups created it; null or left out: made by hand. */
  readonly issuer?: string | null;
  /** The person who accepted an invitation; null or left out: found by e-mail. */
  readonly personId?: string | null;
}

/** A membership of an e-mail address. */
export interface HeldMembership {
  readonly id: string;
  readonly spaceId: string;
  readonly email: string;
  readonly role: Role;
  readonly issuer: string | null;
  readonly personId: string | null;
}

/** As a condition on `members m` and `people p`. A person whom nobody vouched for has only what they accepted themselves. */
export const belongsTo = sql`(m.person_id = p.id
  or (p.confirmed and m.person_id is null and lower(m.email) = lower(p.email)))`;

export async function insertMember(db: Queryable, member: Member & MemberSource): Promise<void> {
  await db.query(sql`
    insert into members (id, space_id, email, nickname, role, issuer, person_id, created_at)
    values (${member.id}, ${member.spaceId}, ${member.email}, ${member.nickname}, ${member.role},
      ${member.issuer ?? null}, ${member.personId ?? null}, ${timestamp(member.createdAt)})`);
}

/** The memberships of an address in all spaces. */
export async function listMemberships(db: Queryable, email: string): Promise<HeldMembership[]> {
  return await db.query<HeldMembership>(sql`
    select id, space_id as "spaceId", email, role, issuer, person_id as "personId"
    from members where lower(email) = lower(${email}) and removed_at is null order by id`);
}

/** The person sees the membership also if they are not confirmed. */
export async function bindMember(db: Queryable, memberId: string, personId: string): Promise<void> {
  await db.query(
    sql`update members set person_id = ${personId} where id = ${memberId} and person_id is null`,
  );
}

export async function changeRole(db: Queryable, memberId: string, role: Role): Promise<void> {
  await db.query(sql`update members set role = ${role} where id = ${memberId}`);
}

export async function listMembers(db: Queryable, spaceId: string): Promise<Member[]> {
  return await readMembers(db, { spaceId, email: null });
}

export async function findMember(
  db: Queryable,
  at: { spaceId: string; email: string },
): Promise<Member | null> {
  const [member] = await readMembers(db, at);
  return member ?? null;
}

async function readMembers(db: Queryable, of: { spaceId: string; email: string | null }): Promise<Member[]> {
  const rows = await db.query<Omit<Member, 'monthLimit'> & { monthLimit: string | null }>(sql`
    select id, space_id as "spaceId", email, nickname, role, month_limit as "monthLimit", created_at as "createdAt"
    from members where space_id = ${of.spaceId} and removed_at is null
      and (${of.email}::text is null or lower(email) = lower(${of.email})) order by id`);
  return rows.map((row) => ({
    ...row,
    monthLimit: row.monthLimit === null ? null : parseUnits(row.monthLimit),
  }));
}

/** The personal keys of a removed member stop working. */
export async function removeMember(db: Queryable, memberId: string, at: Instant): Promise<void> {
  await db.query(sql`update members set removed_at = ${timestamp(at)} where id = ${memberId}`);
}

export async function limitMember(db: Queryable, memberId: string, limit: Units | null): Promise<void> {
  const amount = limit === null ? null : printUnits(limit);
  await db.query(sql`update members set month_limit = ${amount} where id = ${memberId}`);
}

export async function changeNickname(db: Queryable, memberId: string, nickname: string): Promise<void> {
  await db.query(sql`update members set nickname = ${nickname} where id = ${memberId}`);
}
