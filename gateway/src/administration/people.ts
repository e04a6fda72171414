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
import type { Queryable, Transaction } from '../database/database.ts';
import { newId } from '../kernel/ids.ts';
import { type Instant, isoOf } from '../kernel/time.ts';
import { text } from './args.ts';
import {
  type AdminArgs,
  type AdminCommand,
  type AdminCommands,
  AdminError,
  change,
  type Done,
  question,
} from './command.ts';

export const peopleCommands: AdminCommands = {
  'operators.add': passwordChange('operators.add', async (tx, { email, hash, now }) => {
    const person = await personOf(tx, email, now);
    if (person.isOperator) {
      throw new AdminError(
        `${person.email} is already an operator. "tollgate operators password ${person.email}" changes the password.`,
      );
    }
    await updateOperator(tx, person.id, true);
    await changePassword(tx, person.id, hash);
    const after = { operator: true, password: 'set' };
    return { answer: { email: person.email, operator: true }, space: null, subject: person.email, after };
  }),

  'operators.list': question(async ({ db }) =>
    (await listOperators(db)).map(({ email, passwordHash, createdAt }) => ({
      email,
      password: passwordHash === null ? 'none' : 'set',
      since: isoOf(createdAt),
    })),
  ),

  'operators.remove': change('operators.remove', async (tx, args) => {
    const email = text(args, 'email', EMAIL);
    const person = await findPerson(tx, email);
    if (person === null || !person.isOperator) {
      throw new AdminError(`${email} is not an operator. "tollgate operators list" shows them.`);
    }
    await updateOperator(tx, person.id, false);
    const [before, after] = [{ operator: true }, { operator: false }];
    return { answer: { email: person.email, ...after }, space: null, subject: person.email, before, after };
  }),

  'people.password': passwordChange('people.password', async (tx, { email, hash, now }) => {
    const person = await knownPerson(tx, email, now);
    await changePassword(tx, person.id, hash);
    const after = { password: 'set' };
    return { answer: { email: person.email, ...after }, space: null, subject: person.email, after };
  }),

  'people.link': change('people.link', async (tx, args, now) => {
    const person = await knownPerson(tx, text(args, 'email', EMAIL), now);
    const { code, expiresAt } = await createSignInLink(tx, person.id, now);
    const after = { expires: isoOf(expiresAt) };
    return { answer: { email: person.email, code, ...after }, space: null, subject: person.email, after };
  }),
};

/** A change that needs a new password. It is hashed before the transaction, which would hold up others. */
function passwordChange(
  action: string,
  work: (tx: Transaction, given: { email: string; hash: string; now: Instant }) => Promise<Done>,
): AdminCommand {
  return {
    changes: true,
    async run(context, args) {
      const email = text(args, 'email', EMAIL);
      const hash = await hashPassword(newPassword(args));
      return await change(action, (tx, _, now) => work(tx, { email, hash, now })).run(context, args);
    },
  };
}

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
