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
  readonly rules: MemberRules;
  readonly createdAt: Instant;
}

/** What administrators set for a member. It holds for all their keys together; null: no rule. */
export interface MemberRules {
  /** Units per calendar month (KST). */
  readonly monthLimit: Units | null;
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  /** The codes of the models that they may use. */
  readonly models: readonly string[] | null;
  readonly expiresAt: Instant | null;
}

export const NO_RULES: MemberRules = {
  monthLimit: null,
  requestsPerMinute: null,
  tokensPerMinute: null,
  models: null,
  expiresAt: null,
};

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
  if (member.rules !== NO_RULES) await updateRules(db, member.id, member.rules);
}

export async function updateRules(db: Queryable, memberId: string, rules: MemberRules): Promise<void> {
  const { monthLimit, requestsPerMinute, tokensPerMinute, models, expiresAt } = rules;
  await db.query(sql`
    update members set month_limit = ${monthLimit === null ? null : printUnits(monthLimit)},
      requests_per_minute = ${requestsPerMinute}, tokens_per_minute = ${tokensPerMinute},
      models = ${models}::text[], expires_at = ${expiresAt === null ? null : timestamp(expiresAt)}
    where id = ${memberId}`);
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
  const [row] = await db.query<StoredRules>(sql`
    select ${ruleColumns} from members m
    where m.space_id = ${at.spaceId} and m.removed_at is not null and lower(m.email) = lower(${at.email})
    order by m.removed_at desc, m.id desc limit 1`);
  return row === undefined ? null : rulesOf(row);
}

async function readMembers(db: Queryable, of: { spaceId: string; email: string | null }): Promise<Member[]> {
  const rows = await db.query<Omit<Member, 'rules'> & StoredRules>(sql`
    select m.id, m.space_id as "spaceId", m.email, m.nickname, m.role, m.created_at as "createdAt", ${ruleColumns}
    from members m where m.space_id = ${of.spaceId} and m.removed_at is null
      and (${of.email}::text is null or lower(m.email) = lower(${of.email})) order by m.id`);
  return rows.map(({ id, spaceId, email, nickname, role, createdAt, ...rules }) => {
    return { id, spaceId, email, nickname, role, createdAt, rules: rulesOf(rules) };
  });
}

type StoredRules = Omit<MemberRules, 'monthLimit'> & { readonly monthLimit: string | null };

const ruleColumns = sql`m.month_limit as "monthLimit", m.requests_per_minute as "requestsPerMinute",
  m.tokens_per_minute as "tokensPerMinute", m.models, m.expires_at as "expiresAt"`;

function rulesOf(row: StoredRules): MemberRules {
  return { ...row, monthLimit: row.monthLimit === null ? null : parseUnits(row.monthLimit) };
}

/** The personal keys of a removed member stop working. */
export async function removeMember(db: Queryable, memberId: string, at: Instant): Promise<void> {
  await db.query(sql`update members set removed_at = ${timestamp(at)} where id = ${memberId}`);
}

export async function changeNickname(db: Queryable, memberId: string, nickname: string): Promise<void> {
  await db.query(sql`update members set nickname = ${nickname} where id = ${memberId}`);
}
