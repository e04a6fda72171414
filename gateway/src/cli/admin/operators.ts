/** `operators`: the people who run the installation. */
import { argument, group } from '../command.ts';
import { passwordStdin, readPassword } from '../read-password.ts';
import { email as emailAddress } from '../words.ts';
import { adminCommand, listCommand } from './admin-command.ts';
import { keepTokens, printLost, withKeepTokens } from './lost-rights.ts';
import { signInCommands } from './sign-in-commands.ts';

const email = argument('<email>', 'the e-mail address of the operator', emailAddress);

const add = adminCommand('operators.add', {
  help: 'give someone operator rights and a password for the console',
  examples: ['tollgate operators add kim@example.com'],
  arguments: { email },
  options: { passwordStdin },
  input: async ({ email, passwordStdin }) => ({
    email,
    password: await readPassword({ passwordStdin, again: true }),
  }),
});

const list = listCommand('operators.list', {
  help: 'list the operators',
  examples: ['tollgate operators list'],
  columns: ['email', 'has_password', 'created_at'],
  empty: 'No operators yet. Add one with "tollgate operators add EMAIL".',
});

const remove = adminCommand('operators.remove', {
  help: 'remove operator rights; the person keeps the spaces they are a member of, other tokens of theirs end',
  examples: ['tollgate operators remove kim@example.com'],
  arguments: { email },
  options: { keepTokens },
  input: withKeepTokens,
  print: printLost,
});

export const operatorCommands = group({
  name: 'operators',
  help: 'manage operators, who run the installation and see every space in the console',
  commands: [add, list, remove, ...signInCommands('operators')],
});
