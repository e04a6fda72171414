/** The members of a space and their roles. The rules that hold for all their keys are set in rules.ts. */
import { isDeepStrictEqual } from 'node:util';
import {
  changeNickname,
  changeRole,
  insertMember,
  type Member,
  NO_RULES,
  removeMember,
} from '../access/members.store.ts';
import { newId } from '../kernel/ids.ts';
import { monthOf, printMonthEnd } from '../kernel/time.ts';
import { readMemberPage } from '../reports/lists/member-page.store.ts';
import { afterLoss } from './lost-rights.ts';
import { memberNamed, orTaken } from './named-records.ts';
import { change, read } from './operation.ts';
import { answeredPage, shownRow, wantedPage } from './page.ts';
import { shownRules } from './rule-values.ts';

const add = change('members.add', async ({ tx, now, space }, input) => {
  const { email, role, nickname = email.split('@')[0] as string } = input;
  const id = newId('mem', now);
  const member: Member = { id, spaceId: space.id, email, nickname, role, rules: NO_RULES, createdAt: now };
  await orTaken(`${email} is already a member of ${space.name}.`, 'email', () => insertMember(tx, member));
  return { answer: shown(member), subject: email, after: shown(member) };
});

const role = change('members.role', async (tools, { email: named, role, keep_tokens }) => {
  const member = await memberNamed(tools.tx, tools.space, named);
  const { email } = member;
  await changeRole(tools.tx, member.id, role);
  const lost = await afterLoss(tools, { email, keep_tokens });
  return {
    answer: { ...shown({ ...member, role }), ...lost.shown },
    subject: email,
    before: { role: member.role },
    after: { role, ...lost.audited },
  };
});

const nickname = change('members.nickname', async ({ tx, space }, input) => {
  const member = await memberNamed(tx, space, input.email);
  await changeNickname(tx, member.id, input.nickname);
  const answer = shown({ ...member, nickname: input.nickname });
  const before = { nickname: member.nickname };
  return { answer, subject: member.email, before, after: { nickname: input.nickname } };
});

const remove = change('members.remove', async (tools, { email: named, keep_tokens }) => {
  const member = await memberNamed(tools.tx, tools.space, named);
  const { email } = member;
  await removeMember(tools.tx, member.id, tools.now);
  const { shown: ended, audited } = await afterLoss(tools, { email, keep_tokens });
  return {
    answer: { ...shown(member), ...ended },
    subject: email,
    before: shown(member),
    ...(audited && { after: audited }),
  };
});

const list = read('members.list', async ({ db, now, space }, input) => {
  const { role, search } = input;
  const page = await readMemberPage(db, { spaceId: space.id, now, role, search, ...wantedPage(input) });
  return answeredPage(page, ({ rules, ...row }) => ({
    ...shown({ ...row, rules }),
    resets_at: printMonthEnd(monthOf(now)),
    ...shownRow(row),
  }));
});

export const memberOperations = [add, list, role, nickname, remove] as const;

/** Of all that is shown, the audit log has what changed. */
export function changedMember(from: Member, to: Member) {
  const [before, after] = [shown(from), shown(to)];
  return {
    answer: after,
    subject: from.email,
    before: differing(before, after),
    after: differing(after, before),
  };
}

function shown({
  email,
  nickname,
  role,
  rules,
  id,
}: Pick<Member, 'email' | 'nickname' | 'role' | 'rules' | 'id'>) {
  return { email, nickname, role, ...shownRules('member', rules), id };
}

/** The fields of `one` that `other` has with another value. */
function differing(one: object, other: object): object {
  const others = new Map(Object.entries(other));
  return Object.fromEntries(
    Object.entries(one).filter(([field, value]) => !isDeepStrictEqual(value, others.get(field))),
  );
}
