/** Sign-ins of command lines that wait to be confirmed in a browser, by the digests of their secrets. */
import { type Queryable, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import type { SessionOrigin } from './sign-in-ways.ts';

export interface DeviceRequest {
  /** What the command line calls its machine. */
  readonly machine: string;
  /** The network address that it came from. */
  readonly address: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
}

/** The person who confirmed, and the session with which they did. */
export interface DeviceConfirmation {
  readonly personId: string;
  readonly openedBy: SessionOrigin;
  readonly sessionExpiresAt: Instant;
}

/** False if the secret or the code is in use already. */
export async function insertDeviceRequest(
  db: Queryable,
  request: DeviceRequest & { readonly challenge: string; readonly codeDigest: string },
): Promise<boolean> {
  const rows = await db.query(sql`
    insert into device_sign_ins (challenge, code_digest, machine, address, created_at, expires_at)
    values (${request.challenge}, ${request.codeDigest}, ${request.machine}, ${request.address},
      ${timestamp(request.createdAt)}, ${timestamp(request.expiresAt)})
    on conflict do nothing returning challenge`);
  return rows.length > 0;
}

/** One that nobody has decided about; null if there is none, or it has expired. */
export async function findOpenDeviceRequest(
  db: Queryable,
  codeDigest: string,
  now: Instant,
): Promise<DeviceRequest | null> {
  const [found] = await db.query<DeviceRequest>(sql`
    select machine, address, created_at as "createdAt", expires_at as "expiresAt" from device_sign_ins
    where code_digest = ${codeDigest} and person_id is null and expires_at > ${timestamp(now)}`);
  return found ?? null;
}

/** False if somebody else decided first, or it has expired. */
export async function confirmDeviceRequest(
  db: Queryable,
  codeDigest: string,
  { personId, openedBy, sessionExpiresAt }: DeviceConfirmation,
  now: Instant,
): Promise<boolean> {
  const rows = await db.query(sql`
    update device_sign_ins set person_id = ${personId}, opened_by = ${openedBy},
      session_expires_at = ${timestamp(sessionExpiresAt)}
    where code_digest = ${codeDigest} and person_id is null and expires_at > ${timestamp(now)}
    returning challenge`);
  return rows.length > 0;
}

export async function rejectDeviceRequest(db: Queryable, codeDigest: string): Promise<void> {
  await db.query(sql`delete from device_sign_ins where code_digest = ${codeDigest} and person_id is null`);
}

/** Takes a confirmed one away, so that it is used once. */
export async function takeConfirmed(
  db: Queryable,
  challenge: string,
  now: Instant,
): Promise<DeviceConfirmation | null> {
  const [taken] = await db.query<DeviceConfirmation>(sql`
    delete from device_sign_ins
    where challenge = ${challenge} and person_id is not null and expires_at > ${timestamp(now)}
    returning person_id as "personId", opened_by as "openedBy", session_expires_at as "sessionExpiresAt"`);
  return taken ?? null;
}

export async function isDeviceRequestOpen(db: Queryable, challenge: string, now: Instant): Promise<boolean> {
  const rows = await db.query(sql`
    select challenge from device_sign_ins where challenge = ${challenge} and expires_at > ${timestamp(now)}`);
  return rows.length > 0;
}

export async function sweepDeviceRequests(db: Queryable, now: Instant): Promise<void> {
  await db.query(sql`
    delete from device_sign_ins where challenge in (
      select challenge from device_sign_ins where expires_at <= ${timestamp(now)} for update skip locked)`);
}
