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

export async function insertMember(db: Queryable, member: Member): Promise<void> {
  await db.query(sql`
    insert into members (id, space_id, email, nickname, role, created_at)
    values (${member.id}, ${member.spaceId}, ${member.email}, ${member.nickname}, ${member.role},
      ${timestamp(member.createdAt)})`);
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

export async function changeRole(db: Queryable, memberId: string, role: Role): Promise<void> {
  await db.query(sql`update members set role = ${role} where id = ${memberId}`);
}

export async function changeNickname(db: Queryable, memberId: string, nickname: string): Promise<void> {
  await db.query(sql`update members set nickname = ${nickname} where id = ${memberId}`);
}
