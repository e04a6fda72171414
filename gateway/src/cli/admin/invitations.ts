/** `invitations`: inviting people to a space by link. */
import { memberRoles } from '../../contract/administration/words.ts';
import { argument, group, option } from '../command.ts';
import { printFields } from '../print.ts';
import { oneOf } from '../words.ts';
import { adminCommand, listCommand } from './admin-command.ts';
import { space } from './administer.ts';
import { consoleUrl } from './sign-in-commands.ts';

const create = adminCommand('invitations.create', {
  help: 'invite someone to a space; prints a link to send to them (shown once)',
  examples: ['tollgate invitations create kim@example.com --space acme --role admin'],
  arguments: { email: argument('<email>', 'the e-mail address of the person') },
  options: {
    space,
    role: option('<role>', 'admin or member', { read: oneOf(memberRoles), default: 'member' }),
  },
  async print({ path, code: _, ...made }, flags, { server }) {
    const link = new URL(path, await consoleUrl(flags, server)).href;
    printFields({ ...made, link }, flags);
  },
});

const list = listCommand('invitations.list', {
  help: 'list the invitations to a space, newest first',
  examples: ['tollgate invitations list --space acme'],
  options: { space },
  columns: ['id', 'email', 'role', 'state', 'created_by', 'expires_at'],
  empty: 'No invitations yet. Invite someone with "tollgate invitations create EMAIL".',
});

const revoke = adminCommand('invitations.revoke', {
  help: 'revoke an invitation that was not accepted yet',
  examples: ['tollgate invitations revoke invite_01k9x3v7q2m5n8r4t6w0y1z2a3 --space acme'],
  arguments: { invitation: argument('<id>', 'the id of the invitation') },
  options: { space },
});

export const invitationCommands = group({
  name: 'invitations',
  help: 'invite people to a space by link',
  commands: [create, list, revoke],
});
