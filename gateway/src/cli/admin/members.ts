/** `members`: the people of a space. */

import { memberRoles } from '../../contract/administration/words.ts';
import { argument, group, option } from '../command.ts';
import { email as emailAddress, oneOf } from '../words.ts';
import { adminCommand, listCommand } from './admin-command.ts';
import { space } from './administer.ts';
import { keepTokens, printLost, withKeepTokens } from './lost-rights.ts';
import { ruleCommands } from './rule-commands.ts';
import { signInCommands } from './sign-in-commands.ts';

const email = argument('<email>', 'the e-mail address of the member', emailAddress);

const add = adminCommand('members.add', {
  help: 'add a member',
  examples: ['tollgate members add kim@example.com --role admin'],
  arguments: { email },
  options: {
    space,
    nickname: option('<name>', 'the name in reports (default: the part of the e-mail before the @)'),
    role: option('<role>', 'admin or member', { read: oneOf(memberRoles), default: 'member' }),
  },
});

const list = listCommand('members.list', {
  help: 'list the members of a space with their roles, limits and spending of this month',
  examples: ['tollgate members list --space acme'],
  options: { space },
  columns: ['email', 'nickname', 'role', 'spent', 'month_limit', 'active_keys', 'last_active_at'],
  empty: 'No members yet. Add one with "tollgate members add EMAIL".',
});

const role = adminCommand('members.role', {
  help: 'make a member an administrator of the space, or an ordinary member',
  examples: ['tollgate members role kim@example.com member'],
  arguments: { email, role: argument('<admin|member>', 'the new role', oneOf(memberRoles)) },
  options: { space, keepTokens },
  input: withKeepTokens,
  print: printLost,
});

const nickname = adminCommand('members.nickname', {
  help: 'change the name of a member in reports',
  examples: ["tollgate members nickname kim@example.com 'Kim Min-su'"],
  arguments: { email, nickname: argument('<name>', 'the new name') },
  options: { space },
});

const remove = adminCommand('members.remove', {
  help: 'remove a member; their personal keys stop working, and tokens that they created end',
  examples: [
    'tollgate members remove kim@example.com',
    'tollgate members remove kim@example.com --keep-tokens',
  ],
  arguments: { email },
  options: { space, keepTokens },
  input: withKeepTokens,
  print: (member, flags) => printLost({ ...member, removed: true }, flags),
});

const rules = ruleCommands('member', { argument: { email }, example: 'kim@example.com' });

export const memberCommands = group({
  name: 'members',
  help: 'manage the members of a space',
  commands: [add, list, role, nickname, ...rules, remove, ...signInCommands('members')],
});
