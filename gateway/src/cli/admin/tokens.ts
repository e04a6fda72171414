/** `tokens`: credentials of programs that administer a space, or the whole installation. */
import { accessLevels, TOKEN_DAYS_DEFAULT } from '../../contract/administration/words.ts';
import { argument, type CommonFlags, flag, group, option } from '../command.ts';
import { durationIn } from '../duration.ts';
import { printFields } from '../print.ts';
import type { Row } from '../table.ts';
import { oneOf } from '../words.ts';
import { adminCommand, listCommand } from './admin-command.ts';
import { space } from './administer.ts';

const name = argument('<name>', 'a name for the audit log, such as terraform');
const token = argument('<id>', 'the id of the token');
const newToken = {
  access: option('<read|write>', 'what it may do', { read: oneOf(accessLevels), default: 'read' }),
  days: option('<duration>', 'how long it is valid, such as 30d; a number alone means days', {
    read: durationIn('d'),
    default: TOKEN_DAYS_DEFAULT,
  }),
};
const columns = [
  'id',
  'name',
  'space',
  'access',
  'hint',
  'owner',
  'active',
  'expires_at',
  'last_used_at',
] as const;

const create = adminCommand('tokens.create', {
  help: 'create a token for a program that administers a space (shown once)',
  examples: ['tollgate tokens create terraform --space acme --access write'],
  arguments: { name },
  options: { space, ...newToken },
  print: showToken,
});

const list = listCommand('tokens.list', {
  help: 'list the tokens of a space',
  examples: ['tollgate tokens list --space acme'],
  options: { space },
  columns,
  empty: 'No tokens yet. Create one with "tollgate tokens create NAME".',
});

const revoke = adminCommand('tokens.revoke', {
  help: 'reject a token from now on, for good',
  examples: ['tollgate tokens revoke token_01k9x3v7q2m5n8r4t6w0y1z2a3 --space acme'],
  arguments: { token },
  options: { space },
});

const createForAll = adminCommand('operatorTokens.create', {
  name: 'create-operator',
  help: 'create a token for a program that administers the whole installation (shown once)',
  examples: ['tollgate tokens create-operator backup --access read --days 30'],
  arguments: { name },
  options: newToken,
  print: showToken,
});

const listOfAll = listCommand('operatorTokens.list', {
  name: 'list-operator',
  help: 'list the tokens of the installation',
  examples: [
    'tollgate tokens list-operator',
    'tollgate tokens list-operator --owner kim@example.com --everywhere',
  ],
  options: { everywhere: flag('also the tokens of all spaces') },
  columns,
  empty: 'No tokens yet. Create one with "tollgate tokens create-operator NAME".',
});

const revokeOfAll = adminCommand('operatorTokens.revoke', {
  name: 'revoke-operator',
  help: 'reject a token of the installation from now on, for good',
  examples: ['tollgate tokens revoke-operator token_01k9x3v7q2m5n8r4t6w0y1z2a3'],
  arguments: { token },
});

export const tokenCommands = group({
  name: 'tokens',
  help: 'manage the tokens of programs that administer',
  commands: [create, list, revoke, createForAll, listOfAll, revokeOfAll],
});

function showToken(made: Row, flags: CommonFlags): void {
  printFields(made, flags);
  if (!flags.json)
    process.stderr.write(
      'Store the token now: it cannot be shown again. Programs send it as "Authorization: Bearer at_…".\n',
    );
}
