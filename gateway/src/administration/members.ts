/** The members of a space: their roles, and how much each may spend per month. */
import {
  changeNickname,
  changeRole,
  insertMember,
  limitMember,
  type Member,
  removeMember,
} from '../access/members.store.ts';
import { newId } from '../kernel/ids.ts';
import { kstOf, monthOf, printMonthEnd } from '../kernel/time.ts';
import { readMemberPage } from '../reports/lists/member-page.store.ts';
import { memberNamed, orTaken } from './named-records.ts';
import { change, read } from './operation.ts';
import { answeredPage, wantedPage } from './page.ts';
import { monthLimitOf, shownLimit, shownTime } from './read-input.ts';

const add = change('members.add', async ({ tx, now, space }, input) => {
  const { email, role, nickname = email.split('@')[0] as string } = input;
  const id = newId('mem', now);
  const member: Member = { id, spaceId: space.id, email, nickname, role, monthLimit: null, createdAt: now };
  await orTaken(`${email} is already a member of ${space.name}.`, 'email', () => insertMember(tx, member));
  return { answer: shown(member), subject: email, after: shown(member) };
});

const role = change('members.role', async ({ tx, space }, input) => {
  const member = await memberNamed(tx, space, input.email);
  await changeRole(tx, member.id, input.role);
  const after = shown({ ...member, role: input.role });
  return { answer: after, subject: member.email, before: { role: member.role }, after: { role: input.role } };
});

const nickname = change('members.nickname', async ({ tx, space }, input) => {
  const member = await memberNamed(tx, space, input.email);
  await changeNickname(tx, member.id, input.nickname);
  const answer = shown({ ...member, nickname: input.nickname });
  const before = { nickname: member.nickname };
  return { answer, subject: member.email, before, after: { nickname: input.nickname } };
});

const limit = change('members.limit', async ({ tx, space }, input) => {
  const member = await memberNamed(tx, space, input.email);
  const monthLimit = monthLimitOf(input);
  await limitMember(tx, member.id, monthLimit);
  const answer = shown({ ...member, monthLimit });
  const before = { month_limit: shownLimit(member.monthLimit) };
  return { answer, subject: member.email, before, after: { month_limit: answer.month_limit } };
});

const remove = change('members.remove', async ({ tx, now, space }, { email }) => {
  const member = await memberNamed(tx, space, email);
  await removeMember(tx, member.id, now);
  return { answer: shown(member), subject: member.email, before: shown(member) };
});

const list = read('members.list', async ({ db, now, space }, input) => {
  const { role, search } = input;
  const page = await readMemberPage(db, { spaceId: space.id, now, role, search, ...wantedPage(input) });
  return answeredPage(page, (row) => ({
    ...{ email: row.email, nickname: row.nickname, role: row.role, month_limit: row.monthLimit, id: row.id },
    spent: row.spent,
    resets_at: printMonthEnd(monthOf(now)),
    active_keys: row.activeKeys,
    last_active_at: shownTime(row.lastActiveAt),
    created_at: kstOf(row.createdAt),
    unconfirmed: row.unconfirmed,
  }));
});

export const memberOperations = [add, list, role, nickname, limit, remove] as const;

function shown({ email, nickname, role, monthLimit, id }: Member) {
  return { email, nickname, role, month_limit: shownLimit(monthLimit), id };
}
