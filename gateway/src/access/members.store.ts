/** Members: the people of a space. */
import { type Queryable, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import { printUnits, type Units } from '../kernel/units.ts';

export type Role = 'admin' | 'member';

export interface Member {
  readonly id: string;
  readonly spaceId: string;
  readonly email: string;
  readonly nickname: string;
  readonly role: Role;
  readonly createdAt: Instant;
}

export async function insertMember(db: Queryable, member: Member): Promise<void> {
  await db.query(sql`
    insert into members (id, space_id, email, nickname, role, created_at)
    values (${member.id}, ${member.spaceId}, ${member.email}, ${member.nickname}, ${member.role},
      ${timestamp(member.createdAt)})`);
}

export async function listMembers(db: Queryable, spaceId: string): Promise<Member[]> {
  return await db.query<Member>(sql`
    select id, space_id as "spaceId", email, nickname, role, created_at as "createdAt"
    from members where space_id = ${spaceId} and removed_at is null order by id`);
}

export async function findMember(
  db: Queryable,
  at: { spaceId: string; email: string },
): Promise<Member | null> {
  const [member] = await db.query<Member>(sql`
    select id, space_id as "spaceId", email, nickname, role, created_at as "createdAt"
    from members where space_id = ${at.spaceId} and lower(email) = lower(${at.email}) and removed_at is null`);
  return member ?? null;
}

/** A removed member's personal keys stop working with them. */
export async function removeMember(db: Queryable, memberId: string, at: Instant): Promise<void> {
  await db.query(sql`update members set removed_at = ${timestamp(at)} where id = ${memberId}`);
}

export async function limitMember(db: Queryable, memberId: string, limit: Units | null): Promise<void> {
  const amount = limit === null ? null : printUnits(limit);
  await db.query(sql`update members set month_limit = ${amount} where id = ${memberId}`);
}
