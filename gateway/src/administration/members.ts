/** The members of a space, and how much each may spend per month. */
import { Type } from 'typebox';
import {
  insertMember,
  limitMember,
  listMembers,
  type Member,
  removeMember,
} from '../access/members.store.ts';
import { newId } from '../kernel/ids.ts';
import { Email, fields, inSpace, Label, MonthLimit, monthLimitOf, shownLimit } from './input-fields.ts';
import { memberNamed, orTaken, spaceNamed } from './named-records.ts';
import { change, read } from './operation.ts';

const memberEmail = { email: Email, ...inSpace };

const add = change({
  name: 'members.add',
  input: fields({
    ...memberEmail,
    /** By default the part of the e-mail before the @. */
    nickname: Type.Optional(Label),
    role: Type.Enum(['admin', 'member']),
  }),
  async run({ tx, now }, input) {
    const { email, role, nickname = email.split('@')[0] as string } = input;
    const space = await spaceNamed(tx, input);
    const id = newId('mem', now);
    const member: Member = { id, spaceId: space.id, email, nickname, role, monthLimit: null, createdAt: now };
    await orTaken(`${email} is already a member of ${space.name}.`, () => insertMember(tx, member));
    return { answer: shown(member), space, subject: email, after: shown(member) };
  },
});

const list = read({
  name: 'members.list',
  input: fields(inSpace),
  async run({ db }, input) {
    const space = await spaceNamed(db, input);
    return (await listMembers(db, space.id)).map(shown);
  },
});

const remove = change({
  name: 'members.remove',
  input: fields(memberEmail),
  async run({ tx, now }, input) {
    const space = await spaceNamed(tx, input);
    const member = await memberNamed(tx, space, input.email);
    await removeMember(tx, member.id, now);
    return { answer: shown(member), space, subject: member.email, before: shown(member) };
  },
});

const limit = change({
  name: 'members.limit',
  input: fields({ ...memberEmail, month_limit: MonthLimit }),
  async run({ tx }, input) {
    const space = await spaceNamed(tx, input);
    const member = await memberNamed(tx, space, input.email);
    const monthLimit = monthLimitOf(input);
    await limitMember(tx, member.id, monthLimit);
    const after = { month_limit: shownLimit(monthLimit) };
    const before = { month_limit: shownLimit(member.monthLimit) };
    return { answer: { email: member.email, ...after }, space, subject: member.email, before, after };
  },
});

export const memberOperations = [add, list, remove, limit] as const;

function shown({ email, nickname, role, monthLimit, id }: Member) {
  return { email, nickname, role, month_limit: shownLimit(monthLimit), id };
}
