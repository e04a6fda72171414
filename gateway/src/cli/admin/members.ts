/** `members`: the people of a space. */
import { argument, command, group, option } from '../command.ts';
import { printFields, printRows } from '../print.ts';
import { amount, oneOf, orNone } from '../words.ts';
import { administer, administerAndPrint, space } from './administer.ts';
import { signInCommands } from './sign-in-commands.ts';

const email = argument('<email>', 'the e-mail address of the member');

const add = command({
  name: 'add',
  help: 'add a member',
  arguments: { email },
  options: {
    space,
    nickname: option('<name>', 'the name in reports (default: the part of the e-mail before the @)'),
    role: option('<role>', 'admin or member', { read: oneOf(['admin', 'member']), default: 'member' }),
  },
  run: (input, flags) => administerAndPrint('members.add', input, flags),
});

const list = command({
  name: 'list',
  help: 'list the members of a space',
  options: { space },
  async run(input, flags) {
    const empty = 'No members yet. Add one with "tollgate members add EMAIL".';
    printRows(await administer('members.list', input, flags), { json: flags.json, empty });
  },
});

const remove = command({
  name: 'remove',
  help: 'remove a member; their personal keys stop working',
  arguments: { email },
  options: { space },
  async run(input, flags) {
    printFields({ ...(await administer('members.remove', input, flags)), removed: true }, flags);
  },
});

const limit = command({
  name: 'limit',
  help: 'limit the units a member may spend per calendar month (KST), with all keys together',
  arguments: {
    email,
    month_limit: argument('<amount|none>', 'units per month, or none to remove the limit', orNone(amount)),
  },
  options: { space },
  run: (input, flags) => administerAndPrint('members.limit', input, flags),
});

export const memberCommands = group({
  name: 'members',
  help: 'manage the members of a space',
  commands: [add, list, remove, limit, ...signInCommands],
});
