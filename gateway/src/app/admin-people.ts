/** Who can sign in to the console: operators, passwords, one-time links. */
import { createSignInLink } from '../access/create-link.ts';
import { hashPassword, passwordFault } from '../access/passwords.ts';
import {
  ensurePerson,
  findMemberNickname,
  findPerson,
  listOperators,
  type PersonRecord,
  updateOperator,
  updatePassword,
} from '../access/people.store.ts';
import { EMAIL } from '../access/person.ts';
import { deleteSessionsOf } from '../access/sessions.store.ts';
import type { Queryable } from '../database/database.ts';
import { newId } from '../kernel/ids.ts';
import { type Instant, isoOf } from '../kernel/time.ts';
import { type AdminArgs, type AdminCommand, AdminError, text } from './admin-command.ts';

export const peopleCommands: Readonly<Record<string, AdminCommand>> = {
  async 'operators.add'({ db, clock }, args) {
    const email = text(args, 'email', EMAIL);
    const hash = await hashPassword(newPassword(args));
    return await db.transaction(async (tx) => {
      const person = await personOf(tx, email, clock.now());
      if (person.isOperator) {
        throw new AdminError(
          `${person.email} is already an operator. "tollgate operators password ${person.email}" changes the password.`,
        );
      }
      await updateOperator(tx, person.id, true);
      await changePassword(tx, person.id, hash);
      return { email: person.email, operator: true };
    });
  },
  async 'operators.list'({ db }) {
    return (await listOperators(db)).map(({ email, passwordHash, createdAt }) => ({
      email,
      password: passwordHash === null ? 'none' : 'set',
      since: isoOf(createdAt),
    }));
  },
  async 'operators.remove'({ db }, args) {
    const email = text(args, 'email', EMAIL);
    const person = await findPerson(db, email);
    if (person === null || !person.isOperator) {
      throw new AdminError(`${email} is not an operator. "tollgate operators list" shows them.`);
    }
    await updateOperator(db, person.id, false);
    return { email: person.email, operator: false };
  },
  async 'people.password'({ db, clock }, args) {
    const email = text(args, 'email', EMAIL);
    const hash = await hashPassword(newPassword(args));
    return await db.transaction(async (tx) => {
      const person = await knownPerson(tx, email, clock.now());
      await changePassword(tx, person.id, hash);
      return { email: person.email, password: 'set' };
    });
  },
  async 'people.link'({ db, clock }, args) {
    const email = text(args, 'email', EMAIL);
    return await db.transaction(async (tx) => {
      const person = await knownPerson(tx, email, clock.now());
      const { code, expiresAt } = await createSignInLink(tx, person.id, clock.now());
      return { email: person.email, code, expires: isoOf(expiresAt) };
    });
  },
};

/** Whoever may have known the old password is signed out. */
async function changePassword(db: Queryable, personId: string, hash: string): Promise<void> {
  await updatePassword(db, personId, hash);
  await deleteSessionsOf(db, personId);
}

/** Never shown in an error, unlike other arguments. */
function newPassword(args: AdminArgs): string {
  const { password } = args;
  if (typeof password !== 'string' || password === '') throw new AdminError('password is missing.');
  const fault = passwordFault(password);
  if (fault !== null) throw new AdminError(fault);
  return password;
}

/** A member or an operator; a member becomes a person when they are first given a way to sign in. */
async function knownPerson(db: Queryable, email: string, now: Instant): Promise<PersonRecord> {
  const [person, nickname] = [await findPerson(db, email), await findMemberNickname(db, email)];
  if (nickname === null && !person?.isOperator) {
    throw new AdminError(
      `${email} is neither a member of a space nor an operator. Add them with "tollgate members add ${email}".`,
    );
  }
  return person ?? (await personOf(db, email, now));
}

async function personOf(db: Queryable, email: string, now: Instant): Promise<PersonRecord> {
  const nickname = (await findMemberNickname(db, email)) ?? (email.split('@')[0] as string);
  return await ensurePerson(db, { id: newId('per', now), email, nickname, now });
}
