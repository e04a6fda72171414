/** Sessions and one-time sign-in links, by the digests of their secrets. */
import { type Queryable, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import { belongsTo, type Role } from './members.store.ts';
import type { Membership, Person } from './person.ts';
import type { LinkOrigin, SessionOrigin } from './sign-in-ways.ts';

export interface SessionRecord {
  readonly digest: string;
  readonly personId: string;
  readonly openedBy: SessionOrigin;
  readonly userAgent: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
}

export interface FoundSession {
  readonly person: Person;
  readonly expiresAt: Instant;
  readonly lastSeenAt: Instant;
  readonly openedBy: SessionOrigin;
  /** False if a previous version opened it, whose cookies had no prefix over https. */
  readonly hostCookie: boolean;
}

/** Ends the oldest sessions of the person beyond `keptMax`. */
export async function insertSession(db: Queryable, session: SessionRecord, keptMax: number): Promise<void> {
  await db.query(sql`
    insert into sessions (digest, person_id, opened_by, user_agent, created_at, expires_at, last_seen_at, host_cookie)
    values (${session.digest}, ${session.personId}, ${session.openedBy}, ${session.userAgent},
      ${timestamp(session.createdAt)}, ${timestamp(session.expiresAt)}, ${timestamp(session.createdAt)}, true)`);
  await db.query(sql`
    delete from sessions where digest in (
      select digest from sessions where digest in (
        select digest from sessions where person_id = ${session.personId}
        order by last_seen_at desc, digest offset ${keptMax})
      for update skip locked)`);
}

/**
 * A session that has not ended, with the current rights of its person. Null also if they have lost all access. An
 * unconfirmed person has only the memberships that they accepted themselves. Rights that an issuer gave do not open with
 * a password, which someone who left the issuer may still have.
 */
export async function findSession(
  db: Queryable,
  digest: string,
  at: { now: Instant; seenAfter: Instant },
): Promise<FoundSession | null> {
  const rows = await db.query<SessionRow>(sql`
    select p.id, p.email, p.nickname, s.expires_at as "expiresAt",
      p.is_operator and (p.operator_issuer is null or s.opened_by <> 'password') as "isOperator",
      s.last_seen_at as "lastSeenAt", s.opened_by as "openedBy", s.host_cookie as "hostCookie", sp.id as "spaceId",
      sp.name as "spaceName", m.role, m.id as "memberId"
    from sessions s join people p on p.id = s.person_id
    left join members m on m.removed_at is null and (m.issuer is null or s.opened_by <> 'password') and ${belongsTo}
    left join spaces sp on sp.id = m.space_id
    where s.digest = ${digest} and s.expires_at > ${timestamp(at.now)}
      and s.last_seen_at > ${timestamp(at.seenAfter)}
    order by sp.name`);
  const [first] = rows;
  if (first === undefined) return null;
  const { id, email, nickname, isOperator, ...session } = first;
  const { expiresAt, lastSeenAt, openedBy, hostCookie } = session;
  const spaces = rows.filter(isMembership).map(({ spaceId, spaceName, role, memberId }) => {
    return { id: spaceId, name: spaceName, role, memberId } satisfies Membership;
  });
  if (!isOperator && spaces.length === 0) return null;
  const person = { id, email, nickname, isOperator, spaces };
  return { person, expiresAt, lastSeenAt, openedBy, hostCookie };
}

interface SessionRow extends Omit<FoundSession, 'person'> {
  readonly id: string;
  readonly email: string;
  readonly nickname: string;
  readonly isOperator: boolean;
  readonly spaceId: string | null;
  readonly spaceName: string | null;
  readonly role: Role | null;
  readonly memberId: string | null;
}

function isMembership(
  row: SessionRow,
): row is SessionRow & { spaceId: string; spaceName: string; role: Role; memberId: string } {
  return row.spaceId !== null;
}

export async function touchSession(db: Queryable, digest: string, now: Instant): Promise<void> {
  await db.query(sql`
    update sessions set last_seen_at = ${timestamp(now)}
    where digest = ${digest} and last_seen_at < ${timestamp(now)}`);
}

export async function deleteSession(db: Queryable, digest: string): Promise<void> {
  await db.query(sql`delete from sessions where digest = ${digest}`);
}

export async function deleteSessionsOf(db: Queryable, personId: string): Promise<void> {
  await db.query(sql`
    delete from sessions where digest in (
      select digest from sessions where person_id = ${personId} order by digest for update)`);
}

/** How many there were. */
export async function deleteOtherSessions(db: Queryable, personId: string, kept: string): Promise<number> {
  const rows = await db.query(sql`
    delete from sessions where digest in (
      select digest from sessions where person_id = ${personId} and digest <> ${kept} order by digest for update)
    returning digest`);
  return rows.length;
}

export interface SignInLink {
  readonly personId: string;
  readonly madeBy: LinkOrigin;
}

export async function insertLink(
  db: Queryable,
  link: SignInLink & { digest: string; createdAt: Instant; expiresAt: Instant },
): Promise<void> {
  await db.query(sql`
    insert into sign_in_links (digest, person_id, made_by, created_at, expires_at)
    values (${link.digest}, ${link.personId}, ${link.madeBy}, ${timestamp(link.createdAt)},
      ${timestamp(link.expiresAt)})`);
}

/**
 * Marks a link as used and returns it; null if it is unknown, used or expired. Links with a challenge were made by an
 * older version for a command line, which alone can use them.
 */
export async function redeemLink(db: Queryable, digest: string, now: Instant): Promise<SignInLink | null> {
  const [link] = await db.query<SignInLink>(sql`
    update sign_in_links set used_at = ${timestamp(now)}
    where digest = ${digest} and challenge is null and used_at is null and expires_at > ${timestamp(now)}
    returning person_id as "personId", made_by as "madeBy"`);
  return link ?? null;
}

/** Deletes expired links and idle sessions. Nobody uses an expired session, so it becomes idle. */
export async function sweepSessions(db: Queryable, at: { now: Instant; seenAfter: Instant }): Promise<void> {
  await db.query(sql`
    delete from sign_in_links where digest in (
      select digest from sign_in_links where expires_at <= ${timestamp(at.now)} for update skip locked)`);
  await db.query(sql`
    delete from sessions where digest in (
      select digest from sessions where last_seen_at <= ${timestamp(at.seenAfter)} for update skip locked)`);
}
