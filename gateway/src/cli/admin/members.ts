/** `members`: the people of a space. */
import { argument, group, option } from '../command.ts';
import { printFields } from '../print.ts';
import { amount, oneOf, orNone } from '../words.ts';
import { adminCommand, listCommand } from './admin-command.ts';
import { space } from './administer.ts';
import { signInCommands } from './sign-in-commands.ts';

const email = argument('<email>', 'the e-mail address of the member');

const add = adminCommand('members.add', {
  name: 'add',
  help: 'add a member',
  arguments: { email },
  options: {
    space,
    nickname: option('<name>', 'the name in reports (default: the part of the e-mail before the @)'),
    role: option('<role>', 'admin or member', { read: oneOf(['admin', 'member']), default: 'member' }),
  },
});

const list = listCommand('members.list', {
  name: 'list',
  help: 'list the members of a space with their roles, limits and spending of this month',
  options: {
    space,
    role: option('<role>', 'only admin or member', { read: oneOf(['admin', 'member']) }),
    search: option('<text>', 'only members whose e-mail or name begins with this'),
  },
  columns: ['email', 'nickname', 'role', 'spent', 'month_limit', 'active_keys', 'last_active_at'],
  empty: 'No members yet. Add one with "tollgate members add EMAIL".',
});

const role = adminCommand('members.role', {
  name: 'role',
  help: 'make a member an administrator of the space, or an ordinary member',
  arguments: { email, role: argument('<admin|member>', 'the new role', oneOf(['admin', 'member'])) },
  options: { space },
});

const remove = adminCommand('members.remove', {
  name: 'remove',
  help: 'remove a member; their personal keys stop working',
  arguments: { email },
  options: { space },
  print: (member, flags) => printFields({ ...member, removed: true }, flags),
});

const limit = adminCommand('members.limit', {
  name: 'limit',
  help: 'limit the units a member may spend per calendar month (KST), with all keys together',
  arguments: {
    email,
    month_limit: argument('<amount|none>', 'units per month, or none to remove the limit', orNone(amount)),
  },
  options: { space },
});

export const memberCommands = group({
  name: 'members',
  help: 'manage the members of a space',
  commands: [add, list, role, limit, remove, ...signInCommands],
});
