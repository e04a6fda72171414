/** `members`: the people of a space. */

import { memberRoles } from '../../contract/administration/words.ts';
import { argument, group, option } from '../command.ts';
import { amount, email as emailAddress, listOrAll, oneOf, orNone, timeOrNow } from '../words.ts';
import { adminCommand, listCommand } from './admin-command.ts';
import { space } from './administer.ts';
import { rateInput, rateOptions } from './keys.ts';
import { keepTokens, printLost, withKeepTokens } from './lost-rights.ts';
import { signInCommands } from './sign-in-commands.ts';

const email = argument('<email>', 'the e-mail address of the member', emailAddress);

const add = adminCommand('members.add', {
  name: 'add',
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
  name: 'list',
  help: 'list the members of a space with their roles, limits and spending of this month',
  examples: ['tollgate members list --space acme'],
  options: {
    space,
    role: option('<role>', 'only admin or member', { read: oneOf(memberRoles) }),
    search: option('<text>', 'only members whose e-mail or name begins with this'),
  },
  columns: ['email', 'nickname', 'role', 'spent', 'month_limit', 'active_keys', 'last_active_at'],
  empty: 'No members yet. Add one with "tollgate members add EMAIL".',
});

const role = adminCommand('members.role', {
  name: 'role',
  help: 'make a member an administrator of the space, or an ordinary member',
  examples: ['tollgate members role kim@example.com member'],
  arguments: { email, role: argument('<admin|member>', 'the new role', oneOf(memberRoles)) },
  options: { space, keepTokens },
  input: withKeepTokens,
  print: printLost,
});

const nickname = adminCommand('members.nickname', {
  name: 'nickname',
  help: 'change the name of a member in reports',
  examples: ["tollgate members nickname kim@example.com 'Kim Min-su'"],
  arguments: { email, nickname: argument('<name>', 'the new name') },
  options: { space },
});

const remove = adminCommand('members.remove', {
  name: 'remove',
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

const limit = adminCommand('members.limit', {
  name: 'limit',
  help: 'limit the units a member may spend per calendar month (KST), with all keys together',
  examples: ['tollgate members limit kim@example.com 50'],
  arguments: {
    email,
    month_limit: argument('<amount|none>', 'units per month, or none to remove the limit', orNone(amount)),
  },
  options: { space },
});

const rate = adminCommand('members.rate', {
  name: 'rate',
  help: 'set the per-minute rate limits of a member, for all keys together',
  examples: ['tollgate members rate kim@example.com --requests 60 --tokens none'],
  arguments: { email },
  options: { space, ...rateOptions() },
  input: ({ requests, tokens, ...input }) => ({ ...input, ...rateInput({ requests, tokens }) }),
});

const models = adminCommand('members.models', {
  name: 'models',
  help: 'restrict all keys of a member to some models',
  examples: [
    'tollgate members models kim@example.com gpt-5-mini',
    'tollgate members models kim@example.com all',
  ],
  arguments: { email, models: argument('<codes|all>', 'model codes as a,b,c, or all', listOrAll) },
  options: { space },
});

const expire = adminCommand('members.expire', {
  name: 'expire',
  help: 'set when all keys of a member stop working',
  examples: [
    'tollgate members expire kim@example.com 2026-12-31',
    'tollgate members expire kim@example.com none',
  ],
  arguments: {
    email,
    expires: argument(
      '<date|none>',
      'the last day (YYYY-MM-DD, KST), a moment, now, or none to remove the end',
      orNone(timeOrNow),
    ),
  },
  options: { space },
});

export const memberCommands = group({
  name: 'members',
  help: 'manage the members of a space',
  commands: [
    ...[add, list, role, nickname, limit, rate, models, expire, remove],
    ...signInCommands('members'),
  ],
});
