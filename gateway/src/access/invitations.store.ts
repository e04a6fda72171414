/** Invitations to a space, by the digests of their codes. */
import { type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import type { Role } from './members.store.ts';
import { mayAdminister } from './owners.store.ts';

export interface Invitation {
  readonly id: string;
  readonly spaceId: string;
  readonly email: string;
  readonly role: Role;
  /** Who created it, as in the audit log. */
  readonly createdBy: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  readonly acceptedAt: Instant | null;
  readonly revokedAt: Instant | null;
}

/** An invitation that can be accepted now. */
export interface OpenInvitation extends Pick<Invitation, 'id' | 'spaceId' | 'email' | 'role' | 'expiresAt'> {
  readonly createdBy: string;
  readonly spaceName: string;
}

export type NewInvitation = Omit<Invitation, 'acceptedAt' | 'revokedAt'> & { readonly digest: string };

/** Neither accepted nor revoked, and its creator may still invite. */
const isOpen = sql`i.accepted_at is null and i.revoked_at is null and ${mayAdminister(sql`i.created_by`, sql`i.space_id`)}`;

export async function insertInvitation(tx: Transaction, invitation: NewInvitation): Promise<void> {
  const { id, spaceId, email, role, digest, createdBy } = invitation;
  await tx.query(sql`
    insert into invitations (id, space_id, email, role, digest, created_by, created_at, expires_at)
    values (${id}, ${spaceId}, ${email}, ${role}, ${digest}, ${createdBy}, ${timestamp(invitation.createdAt)},
      ${timestamp(invitation.expiresAt)})`);
}

export async function findOpenInvitation(
  db: Queryable,
  digest: string,
  now: Instant,
): Promise<OpenInvitation | null> {
  const [invitation] = await db.query<OpenInvitation>(sql`
    select i.id, i.space_id as "spaceId", s.name as "spaceName", i.email, i.role, i.created_by as "createdBy",
      i.expires_at as "expiresAt"
    from invitations i join spaces s on s.id = i.space_id
    where i.digest = ${digest} and ${isOpen} and i.expires_at > ${timestamp(now)}`);
  return invitation ?? null;
}

/** The open invitations of an address, in all spaces. */
export async function findInvitationsFor(
  db: Queryable,
  email: string,
  now: Instant,
): Promise<OpenInvitation[]> {
  return await db.query<OpenInvitation>(sql`
    select i.id, i.space_id as "spaceId", s.name as "spaceName", i.email, i.role, i.created_by as "createdBy",
      i.expires_at as "expiresAt"
    from invitations i join spaces s on s.id = i.space_id
    where lower(i.email) = lower(${email}) and ${isOpen} and i.expires_at > ${timestamp(now)}
    order by i.id`);
}

/** Marks an invitation as accepted; false if it is not open now. */
export async function takeInvitation(tx: Transaction, id: string, now: Instant): Promise<boolean> {
  const rows = await tx.query(sql`
    update invitations set accepted_at = ${timestamp(now)}
    where id = ${id} and accepted_at is null and revoked_at is null and expires_at > ${timestamp(now)}
    returning id`);
  return rows.length > 0;
}

/** Null if there is no such invitation in the space, or it was accepted or revoked before. */
export async function revokeInvitation(
  tx: Transaction,
  of: { spaceId: string; id: string },
  now: Instant,
): Promise<Pick<Invitation, 'id' | 'email' | 'role'> | null> {
  const [revoked] = await tx.query<Pick<Invitation, 'id' | 'email' | 'role'>>(sql`
    update invitations set revoked_at = ${timestamp(now)}
    where id = ${of.id} and space_id = ${of.spaceId} and accepted_at is null and revoked_at is null
    returning id, email, role`);
  return revoked ?? null;
}

export async function revokeInvitationsOf(
  tx: Transaction,
  of: { spaceId: string; email: string },
  now: Instant,
): Promise<void> {
  await tx.query(sql`
    update invitations set revoked_at = ${timestamp(now)}
    where space_id = ${of.spaceId} and lower(email) = lower(${of.email})
      and accepted_at is null and revoked_at is null`);
}

/** Revokes the invitations of a creator that they could not create now. */
export async function revokeLostInvitations(
  tx: Transaction,
  createdBy: string,
  now: Instant,
): Promise<Array<Pick<Invitation, 'spaceId' | 'email'>>> {
  return await tx.query<Pick<Invitation, 'spaceId' | 'email'>>(sql`
    update invitations i set revoked_at = ${timestamp(now)}
    where i.accepted_at is null and i.revoked_at is null and i.expires_at > ${timestamp(now)}
      and lower(i.created_by) = lower(${createdBy})
      and not ${mayAdminister(sql`i.created_by`, sql`i.space_id`)}
    returning i.space_id as "spaceId", i.email`);
}

/** Revokes all invitations of a creator. */
export async function revokeInvitationsBy(db: Queryable, createdBy: string, now: Instant): Promise<void> {
  await db.query(sql`
    update invitations set revoked_at = ${timestamp(now)}
    where accepted_at is null and revoked_at is null and lower(created_by) = lower(${createdBy})`);
}

export async function countOpenInvitations(db: Queryable, spaceId: string, now: Instant): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::integer as count from invitations
    where space_id = ${spaceId} and accepted_at is null and revoked_at is null
      and expires_at > ${timestamp(now)}`);
  return row?.count ?? 0;
}

/** Newest first. `next`: the id to continue after; null on the last page. */
export async function listInvitations(
  db: Queryable,
  of: { spaceId: string; limit: number; after: string | null },
): Promise<{ rows: readonly Invitation[]; next: string | null }> {
  const found = await db.query<Invitation>(sql`
    select id, space_id as "spaceId", email, role, created_by as "createdBy", created_at as "createdAt",
      expires_at as "expiresAt", accepted_at as "acceptedAt", revoked_at as "revokedAt"
    from invitations where space_id = ${of.spaceId} and (${of.after}::text is null or id < ${of.after})
    order by id desc limit ${of.limit + 1}`);
  const rows = found.slice(0, of.limit);
  return { rows, next: found.length > of.limit ? (rows.at(-1)?.id ?? null) : null };
}
