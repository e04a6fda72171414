/** The accounts that people have at issuers, and the sign-ins that came back from one. */
import { type Queryable, type Transaction, timestamp } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { Instant } from '../../kernel/time.ts';

/** An account of a person; `issuer` is its URL. */
export interface Identity {
  readonly personId: string;
  readonly issuer: string;
  readonly subject: string;
}

/** The subject that the person has at the issuer; null if they have not signed in there yet. */
export async function findSubject(
  db: Queryable,
  of: { personId: string; issuer: string },
): Promise<string | null> {
  const [row] = await db.query<{ subject: string }>(sql`
    select subject from identities where person_id = ${of.personId} and issuer = ${of.issuer}`);
  return row?.subject ?? null;
}

/** Keeps the first subject of a person at an issuer. */
export async function keepIdentity(tx: Transaction, identity: Identity, now: Instant): Promise<void> {
  await tx.query(sql`
    insert into identities (person_id, issuer, subject, created_at)
    values (${identity.personId}, ${identity.issuer}, ${identity.subject}, ${timestamp(now)})
    on conflict do nothing`);
}

/** The next sign-in of the person at each issuer is accepted, whatever its account. */
export async function deleteIdentities(db: Queryable, personId: string): Promise<void> {
  await db.query(sql`delete from identities where person_id = ${personId}`);
}

/** False if the sign-in was already finished. Deletes those that have expired. */
export async function finishOnce(
  db: Queryable,
  signIn: { digest: string; expiresAt: Instant },
  now: Instant,
): Promise<boolean> {
  await db.query(sql`
    delete from finished_sign_ins where digest in (
      select digest from finished_sign_ins where expires_at <= ${timestamp(now)} for update skip locked)`);
  const rows = await db.query(sql`
    insert into finished_sign_ins (digest, expires_at) values (${signIn.digest}, ${timestamp(signIn.expiresAt)})
    on conflict do nothing returning digest`);
  return rows.length > 0;
}
