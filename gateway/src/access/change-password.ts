/** Changes a person's own password and ends their other sessions, in case someone else knew the old one. */
import type { Database } from '../database/database.ts';
import { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import { insertAuditLine } from './audit.store.ts';
import { hashPassword, passwordFault, passwordMatches } from './passwords.ts';
import { findPerson, replacePassword } from './people.store.ts';
import type { Person } from './person.ts';
import { deleteOtherSessions } from './sessions.store.ts';

export interface PasswordChange {
  /** Left out by a person who has no password yet because they signed in with a link. */
  readonly current?: string | undefined;
  readonly next: string;
}

export interface CheckedChange extends PasswordChange {
  readonly oldHash: string | null;
}

/** The checks that need no password to be hashed. */
export async function checkPasswordChange(
  db: Database,
  person: Person,
  given: PasswordChange,
): Promise<CheckedChange> {
  const fault = passwordFault(given.next);
  if (fault !== null) throw new Problem('invalid_parameter', { detail: fault, param: 'new_password' });
  const oldHash = (await findPerson(db, person.email))?.passwordHash ?? null;
  if (oldHash !== null && given.current === undefined) {
    throw new Problem('invalid_parameter', {
      detail: 'current_password is required: send the password you sign in with.',
      param: 'current_password',
    });
  }
  return { ...given, oldHash };
}

/** Returns how many other sessions were ended; null if the current password is wrong. */
export async function changeOwnPassword(
  { db, clock }: { db: Database; clock: Clock },
  session: { person: Person; digest: string },
  { current = '', next, oldHash }: CheckedChange,
): Promise<number | null> {
  const { person, digest } = session;
  if (oldHash !== null && !(await passwordMatches(current, oldHash))) return null;
  const newHash = await hashPassword(next);
  return await db.transaction(async (tx) => {
    // Someone else changed it meanwhile, so the password that was sent is outdated.
    if (!(await replacePassword(tx, person.id, { oldHash, newHash }))) return null;
    await insertAuditLine(tx, {
      at: clock.now(),
      actor: person.email,
      action: 'people.password',
      spaceId: null,
      subject: person.email,
      before: { password: oldHash === null ? 'none' : 'set' },
      after: { password: 'set' },
    });
    return await deleteOtherSessions(tx, person.id, digest);
  });
}
