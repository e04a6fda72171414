/** Who can sign in to the console: operators, passwords, one-time links. */
import { createSignInLink } from '../access/create-link.ts';
import { checkedPassword, hashPassword } from '../access/passwords.ts';
import {
  ensurePerson,
  findMemberNickname,
  findPerson,
  type PersonRecord,
  updateOperator,
  updatePassword,
} from '../access/people.store.ts';
import { deleteSessionsOf } from '../access/sessions.store.ts';
import type { Queryable } from '../database/database.ts';
import { newId } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import { type Instant, kstOf } from '../kernel/time.ts';
import { readPersonPage } from '../reports/lists/person-page.store.ts';
import { afterLoss } from './lost-rights.ts';
import { change, read } from './operation.ts';
import { answeredPage, shownRow, wantedPage } from './page.ts';

const addOperator = change(
  'operators.add',
  async ({ tx, now, prepared: hash }, { email }) => {
    const person = await personWith(tx, email, now);
    if (person.isOperator) {
      const detail = `${person.email} is already an operator. Set a new password to change it.`;
      throw new Problem('conflict', { detail, param: 'email' });
    }
    await updateOperator(tx, person.id, { isOperator: true, now });
    await changePassword(tx, person.id, { hash, now });
    const after = { operator: true, password: 'set' };
    return { answer: { email: person.email, operator: true }, subject: person.email, after };
  },
  hashOf,
);

const removeOperator = change('operators.remove', async (tools, { email, keep_tokens }) => {
  const { tx, now } = tools;
  const person = await findPerson(tx, email);
  if (person === null || !person.isOperator)
    throw new Problem('not_found', { detail: `${email} is not an operator.`, param: 'email' });
  await updateOperator(tx, person.id, { isOperator: false, now });
  const lost = await afterLoss(tools, { email: person.email, keep_tokens });
  const [before, after] = [{ operator: true }, { operator: false }];
  return {
    answer: { email: person.email, ...after, ...lost.shown },
    subject: person.email,
    before,
    after: { ...after, ...lost.audited },
  };
});

const setPassword = change(
  'people.password',
  async ({ tx, now, prepared: hash }, { email }) => {
    const person = await knownPerson(tx, email, now);
    await changePassword(tx, person.id, { hash, now });
    const after = { password: 'set' as const };
    return { answer: { email: person.email, ...after }, subject: person.email, after };
  },
  hashOf,
);

const createLink = change('people.link', async ({ tx, now, actor }, { email }) => {
  const person = await knownPerson(tx, email, now);
  const { code, expiresAt } = await createSignInLink(
    tx,
    { personId: person.id, madeBy: actor.credential === 'shell' ? 'shell' : 'console' },
    now,
  );
  const after = { expires_at: kstOf(expiresAt) };
  return { answer: { email: person.email, code, ...after }, subject: person.email, after };
});

const listOperators = read('operators.list', async ({ db }, input) => {
  const page = await readPersonPage(db, { operator: true, ...wantedPage(input) });
  return answeredPage(page, shownRow);
});

export const peopleOperations = [
  addOperator,
  listOperators,
  removeOperator,
  setPassword,
  createLink,
] as const;

/** Hashing takes long on purpose. */
async function hashOf({ password }: { password: string }): Promise<string> {
  return await hashPassword(checkedPassword(password));
}

/** Ends all sessions of the person: someone else may have known the old password. */
async function changePassword(
  db: Queryable,
  personId: string,
  to: { hash: string; now: Instant },
): Promise<void> {
  await updatePassword(db, personId, to);
  await deleteSessionsOf(db, personId);
}

/** A member or an operator. A member becomes a person when they first get a way to sign in. */
async function knownPerson(db: Queryable, email: string, now: Instant): Promise<PersonRecord> {
  const [person, nickname] = [await findPerson(db, email), await findMemberNickname(db, email)];
  if (nickname === null && !person?.isOperator) {
    const detail = `${email} is neither a member of a space nor an operator. Add them as a member first.`;
    throw new Problem('not_found', { detail, param: 'email' });
  }
  return person ?? (await personWith(db, email, now));
}

async function personWith(db: Queryable, email: string, now: Instant): Promise<PersonRecord> {
  const nickname = (await findMemberNickname(db, email)) ?? (email.split('@')[0] as string);
  return await ensurePerson(db, { id: newId('per', now), email, nickname, now });
}
