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
import { deleteSessionsOf } from '../access/sessions.store.ts';
import type { Queryable } from '../database/database.ts';
import { newId } from '../kernel/ids.ts';
import { type Instant, isoOf } from '../kernel/time.ts';
import { AdminError } from './admin-error.ts';
import { Email, fields, Password } from './input-fields.ts';
import { change, read } from './operation.ts';

const addOperator = change({
  name: 'operators.add',
  input: fields({ email: Email, password: Password }),
  prepare: hashOf,
  async run({ tx, now, prepared: hash }, { email }) {
    const person = await personWith(tx, email, now);
    if (person.isOperator) {
      throw new AdminError(
        `${person.email} is already an operator. "tollgate operators password ${person.email}" changes the password.`,
      );
    }
    await updateOperator(tx, person.id, true);
    await changePassword(tx, person.id, hash);
    const after = { operator: true, password: 'set' };
    return { answer: { email: person.email, operator: true }, space: null, subject: person.email, after };
  },
});

const listAllOperators = read({
  name: 'operators.list',
  input: fields({}),
  run: async ({ db }) =>
    (await listOperators(db)).map(({ email, passwordHash, createdAt }) => ({
      email,
      password: passwordHash === null ? 'none' : 'set',
      since: isoOf(createdAt),
    })),
});

const removeOperator = change({
  name: 'operators.remove',
  input: fields({ email: Email }),
  async run({ tx }, { email }) {
    const person = await findPerson(tx, email);
    if (person === null || !person.isOperator) {
      throw new AdminError(`${email} is not an operator. "tollgate operators list" shows them.`);
    }
    await updateOperator(tx, person.id, false);
    const [before, after] = [{ operator: true }, { operator: false }];
    return { answer: { email: person.email, ...after }, space: null, subject: person.email, before, after };
  },
});

const setPassword = change({
  name: 'people.password',
  input: fields({ email: Email, password: Password }),
  prepare: hashOf,
  async run({ tx, now, prepared: hash }, { email }) {
    const person = await knownPerson(tx, email, now);
    await changePassword(tx, person.id, hash);
    const after = { password: 'set' };
    return { answer: { email: person.email, ...after }, space: null, subject: person.email, after };
  },
});

const createLink = change({
  name: 'people.link',
  input: fields({ email: Email }),
  async run({ tx, now }, { email }) {
    const person = await knownPerson(tx, email, now);
    const { code, expiresAt } = await createSignInLink(tx, { personId: person.id, madeBy: 'shell' }, now);
    const after = { expires: isoOf(expiresAt) };
    return { answer: { email: person.email, code, ...after }, space: null, subject: person.email, after };
  },
});

export const peopleOperations = [
  addOperator,
  listAllOperators,
  removeOperator,
  setPassword,
  createLink,
] as const;

/** Hashing takes long on purpose. */
async function hashOf({ password }: { password: string }): Promise<string> {
  const fault = passwordFault(password);
  if (fault !== null) throw new AdminError(fault);
  return await hashPassword(password);
}

/** Ends all sessions of the person: someone else may have known the old password. */
async function changePassword(db: Queryable, personId: string, hash: string): Promise<void> {
  await updatePassword(db, personId, hash);
  await deleteSessionsOf(db, personId);
}

/** A member or an operator. A member becomes a person when they first get a way to sign in. */
async function knownPerson(db: Queryable, email: string, now: Instant): Promise<PersonRecord> {
  const [person, nickname] = [await findPerson(db, email), await findMemberNickname(db, email)];
  if (nickname === null && !person?.isOperator) {
    throw new AdminError(
      `${email} is neither a member of a space nor an operator. Add them with "tollgate members add ${email}".`,
    );
  }
  return person ?? (await personWith(db, email, now));
}

async function personWith(db: Queryable, email: string, now: Instant): Promise<PersonRecord> {
  const nickname = (await findMemberNickname(db, email)) ?? (email.split('@')[0] as string);
  return await ensurePerson(db, { id: newId('per', now), email, nickname, now });
}
