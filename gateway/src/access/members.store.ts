/** Members: the people of a space. */
import { type Queryable, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import {
  initialRules,
  type Rules,
  readRules,
  type StoredRules,
  storedRules,
  writeRules,
} from './rules.store.ts';

export type Role = 'admin' | 'member';

export interface Member {
  readonly id: string;
  readonly spaceId: string;
  readonly email: string;
  readonly nickname: string;
  readonly role: Role;
  readonly rules: MemberRules;
  readonly createdAt: Instant;
}

/** What administrators set for a member. It holds for all their keys together. */
export type MemberRules = Rules<'member'>;

export const NO_RULES: MemberRules = initialRules('member');

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
  if (member.rules !== NO_RULES)
    await writeRules(db, { holder: 'member', id: member.id, now: member.createdAt }, member.rules);
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

export async function findMember(
  db: Queryable,
  at: { spaceId: string; email: string },
): Promise<Member | null> {
  const [member] = await db.query<Omit<Member, 'rules'> & { rules: StoredRules }>(sql`
    select m.id, m.space_id as "spaceId", m.email, m.nickname, m.role, m.created_at as "createdAt",
      ${storedRules('member', 'm')} as rules
    from members m where m.space_id = ${at.spaceId} and m.removed_at is null
      and lower(m.email) = lower(${at.email})`);
  return member === undefined ? null : { ...member, rules: readRules('member', member.rules) };
}

/** Also of a removed member. */
export async function findMemberEmail(db: Queryable, memberId: string): Promise<string | null> {
  const [row] = await db.query<{ email: string }>(sql`select email from members where id = ${memberId}`);
  return row?.email ?? null;
}

/** The rules of the last membership that the address had in the space before it was removed; null: it had none. */
export async function findFormerRules(
  db: Queryable,
  at: { spaceId: string; email: string },
): Promise<MemberRules | null> {
  const [row] = await db.query<{ rules: StoredRules }>(sql`
    select ${storedRules('member', 'm')} as rules from members m
    where m.space_id = ${at.spaceId} and m.removed_at is not null and lower(m.email) = lower(${at.email})
    order by m.removed_at desc, m.id desc limit 1`);
  return row === undefined ? null : readRules('member', row.rules);
}

/** The personal keys of a removed member stop working. */
export async function removeMember(db: Queryable, memberId: string, at: Instant): Promise<void> {
  await db.query(sql`update members set removed_at = ${timestamp(at)} where id = ${memberId}`);
}

export async function changeNickname(db: Queryable, memberId: string, nickname: string): Promise<void> {
  await db.query(sql`update members set nickname = ${nickname} where id = ${memberId}`);
}
