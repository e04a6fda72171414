/** Sessions and one-time sign-in links, by the digests of their secrets. */
import { type Queryable, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import type { Role } from './members.store.ts';
import type { Membership, Person } from './person.ts';

export interface SessionRecord {
  readonly digest: string;
  readonly personId: string;
  readonly userAgent: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
}

export interface FoundSession {
  readonly person: Person;
  readonly expiresAt: Instant;
  readonly lastSeenAt: Instant;
}

/** Ends the oldest sessions of the person beyond `keptMax`. */
export async function insertSession(db: Queryable, session: SessionRecord, keptMax: number): Promise<void> {
  await db.query(sql`
    insert into sessions (digest, person_id, user_agent, created_at, expires_at, last_seen_at)
    values (${session.digest}, ${session.personId}, ${session.userAgent}, ${timestamp(session.createdAt)},
      ${timestamp(session.expiresAt)}, ${timestamp(session.createdAt)})`);
  await db.query(sql`
    delete from sessions where digest in (
      select digest from sessions where digest in (
        select digest from sessions where person_id = ${session.personId}
        order by last_seen_at desc, digest offset ${keptMax})
      for update skip locked)`);
}

/** A session that has not ended, with the current rights of its person. Null also if they have lost all access. */
export async function findSession(
  db: Queryable,
  digest: string,
  at: { now: Instant; seenAfter: Instant },
): Promise<FoundSession | null> {
  const rows = await db.query<SessionRow>(sql`
    select p.id, p.email, p.nickname, p.is_operator as "isOperator", s.expires_at as "expiresAt",
      s.last_seen_at as "lastSeenAt", sp.id as "spaceId", sp.name as "spaceName", m.id as "memberId", m.role
    from sessions s join people p on p.id = s.person_id
    left join members m on lower(m.email) = lower(p.email) and m.removed_at is null
    left join spaces sp on sp.id = m.space_id
    where s.digest = ${digest} and s.expires_at > ${timestamp(at.now)}
      and s.last_seen_at > ${timestamp(at.seenAfter)}
    order by sp.name`);
  const [first] = rows;
  if (first === undefined) return null;
  const { id, email, nickname, isOperator, expiresAt, lastSeenAt } = first;
  const spaces = rows.filter(isMembership).map(({ spaceId, spaceName, memberId, role }) => {
    return { id: spaceId, name: spaceName, memberId, role } satisfies Membership;
  });
  if (!isOperator && spaces.length === 0) return null;
  return { person: { id, email, nickname, isOperator, spaces }, expiresAt, lastSeenAt };
}

interface SessionRow {
  readonly id: string;
  readonly email: string;
  readonly nickname: string;
  readonly isOperator: boolean;
  readonly expiresAt: Instant;
  readonly lastSeenAt: Instant;
  readonly spaceId: string | null;
  readonly spaceName: string | null;
  readonly memberId: string | null;
  readonly role: Role | null;
}

function isMembership(
  row: SessionRow,
): row is SessionRow & { spaceId: string; spaceName: string; memberId: string; role: Role } {
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

export async function insertLink(
  db: Queryable,
  link: { digest: string; personId: string; createdAt: Instant; expiresAt: Instant },
): Promise<void> {
  await db.query(sql`
    insert into sign_in_links (digest, person_id, created_at, expires_at)
    values (${link.digest}, ${link.personId}, ${timestamp(link.createdAt)}, ${timestamp(link.expiresAt)})`);
}

/** Marks a link as used and returns its person; null if it is unknown, used or expired. */
export async function redeemLink(db: Queryable, digest: string, now: Instant): Promise<string | null> {
  const [row] = await db.query<{ personId: string }>(sql`
    update sign_in_links set used_at = ${timestamp(now)}
    where digest = ${digest} and used_at is null and expires_at > ${timestamp(now)}
    returning person_id as "personId"`);
  return row?.personId ?? null;
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
