/** The members of a space: their roles, and the rules that hold for all their keys. */
import { isDeepStrictEqual } from 'node:util';
import {
  changeNickname,
  changeRole,
  insertMember,
  type Member,
  type MemberRules,
  NO_RULES,
  removeMember,
  updateRules,
} from '../access/members.store.ts';
import type { Space } from '../access/spaces.store.ts';
import type { Transaction } from '../database/database.ts';
import { newId } from '../kernel/ids.ts';
import { type Instant, kstOf, monthOf, printMonthEnd } from '../kernel/time.ts';
import { readMemberPage } from '../reports/lists/member-page.store.ts';
import { readAllowedModels } from './allowed-models.ts';
import { afterLoss } from './lost-rights.ts';
import { memberNamed, orTaken } from './named-records.ts';
import { change, read } from './operation.ts';
import { answeredPage, wantedPage } from './page.ts';
import { futureTime, monthLimitOf, rateOf, shownLimit, shownRate, shownTime } from './read-input.ts';

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

const limit = change('members.limit', (tools, input) =>
  changeRules(tools, input, async () => ({ monthLimit: monthLimitOf(input) })),
);

const rate = change('members.rate', (tools, input) => changeRules(tools, input, async () => rateOf(input)));

const models = change('members.models', (tools, input) =>
  changeRules(tools, input, async () => ({ models: await readAllowedModels(tools, input) })),
);

const expire = change('members.expire', (tools, input) =>
  changeRules(tools, input, async () => ({ expiresAt: endOf(input.expires, tools.now) })),
);

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
  return answeredPage(page, (row) => ({
    ...{ email: row.email, nickname: row.nickname, role: row.role, month_limit: row.monthLimit },
    ...shownRate(row),
    models: row.models === null ? null : [...row.models],
    expires_at: shownTime(row.expiresAt),
    id: row.id,
    spent: row.spent,
    resets_at: printMonthEnd(monthOf(now)),
    active_keys: row.activeKeys,
    last_active_at: shownTime(row.lastActiveAt),
    created_at: kstOf(row.createdAt),
    unconfirmed: row.unconfirmed,
  }));
});

export const memberOperations = [
  ...[add, list, role, nickname],
  ...[limit, rate, models, expire, remove],
] as const;

/** Sets rules for all keys of a member; the audit log has those that changed. */
async function changeRules(
  { tx, space }: { tx: Transaction; space: Space },
  { email }: { email: string },
  read: () => Promise<Partial<MemberRules>>,
) {
  const member = await memberNamed(tx, space, email);
  const changed = { ...member, rules: { ...member.rules, ...(await read()) } };
  await updateRules(tx, member.id, changed.rules);
  const [before, after] = [shown(member), shown(changed)];
  return {
    answer: after,
    subject: member.email,
    before: differing(before, after),
    after: differing(after, before),
  };
}

function endOf(expires: string | null, now: Instant): Instant | null {
  if (expires === null) return null;
  return expires === 'now' ? now : futureTime(expires, now);
}

function shown({ email, nickname, role, rules, id }: Member) {
  const { monthLimit, models, expiresAt } = rules;
  return {
    ...{ email, nickname, role, month_limit: shownLimit(monthLimit), ...shownRate(rules) },
    models: models === null ? null : [...models],
    expires_at: shownTime(expiresAt),
    id,
  };
}

/** The fields of `one` that `other` has with another value. */
function differing(one: object, other: object): object {
  const others = new Map(Object.entries(other));
  return Object.fromEntries(
    Object.entries(one).filter(([field, value]) => !isDeepStrictEqual(value, others.get(field))),
  );
}
