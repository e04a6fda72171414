import {
  insertMember,
  limitMember,
  listMembers,
  type Member,
  type Role,
  removeMember,
} from '../access/members.store.ts';
import { EMAIL } from '../access/person.ts';
import { newId } from '../kernel/ids.ts';
import { LABEL, limitOf, memberNamed, orTaken, shownLimit, spaceNamed, text } from './args.ts';
import { type AdminCommands, change, question } from './command.ts';

export const memberCommands: AdminCommands = {
  'members.add': change('members.add', async (tx, args, now) => {
    const space = await spaceNamed(tx, args);
    const email = text(args, 'email', EMAIL);
    const nickname =
      typeof args.nickname === 'string' ? text(args, 'nickname', LABEL) : (email.split('@')[0] as string);
    const role = text(args, 'role', /^(admin|member)$/) as Role;
    const id = newId('mem', now);
    const member: Member = { id, spaceId: space.id, email, nickname, role, monthLimit: null, createdAt: now };
    await orTaken(`${email} is already a member of ${space.name}.`, () => insertMember(tx, member));
    return { answer: shown(member), space, subject: email, after: shown(member) };
  }),

  'members.list': question(async ({ db }, args) => {
    const space = await spaceNamed(db, args);
    return (await listMembers(db, space.id)).map(shown);
  }),

  'members.remove': change('members.remove', async (tx, args, now) => {
    const space = await spaceNamed(tx, args);
    const member = await memberNamed(tx, space, args);
    await removeMember(tx, member.id, now);
    return { answer: shown(member), space, subject: member.email, before: shown(member) };
  }),

  'members.limit': change('members.limit', async (tx, args) => {
    const space = await spaceNamed(tx, args);
    const member = await memberNamed(tx, space, args);
    const limit = limitOf(args);
    await limitMember(tx, member.id, limit);
    const after = { month_limit: shownLimit(limit) };
    const before = { month_limit: shownLimit(member.monthLimit) };
    return { answer: { email: member.email, ...after }, space, subject: member.email, before, after };
  }),
};

function shown({ email, nickname, role, monthLimit, id }: Member) {
  return { email, nickname, role, month_limit: shownLimit(monthLimit), id };
}
