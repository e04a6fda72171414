import type { Command } from 'commander';
import { administer, flagsOf } from './administer.ts';
import { printFields, printRows, type Row } from './print.ts';
import { type PasswordFlags, readPassword } from './read-password.ts';
import { addSignInCommands } from './sign-in-commands.ts';

export function addOperatorCommands(program: Command): void {
  const operators = program
    .command('operators')
    .description('the people who run the installation and see every space in the console');
  operators
    .command('add <email>')
    .description('let someone in as an operator, with a password')
    .option('--password-stdin', 'read the password from standard input instead of asking')
    .action(async (email: string, _: unknown, command: Command) => {
      const flags = flagsOf<PasswordFlags>(command);
      const password = await readPassword(flags, { again: true });
      const added = await administer<Row>('operators.add', { email, password }, flags);
      printFields(added, { json: flags.json ?? false });
    });
  operators
    .command('list')
    .description('list the operators')
    .action(async (_: unknown, command: Command) => {
      const flags = flagsOf(command);
      const rows = await administer<Row[]>('operators.list', {}, flags);
      printRows(rows, {
        json: flags.json ?? false,
        empty: 'No operators yet. Add one with "tollgate operators add EMAIL".',
      });
    });
  operators
    .command('remove <email>')
    .description('leave someone only the spaces they are a member of')
    .action(async (email: string, _: unknown, command: Command) => {
      const flags = flagsOf(command);
      const removed = await administer<Row>('operators.remove', { email }, flags);
      printFields(removed, { json: flags.json ?? false });
    });
  addSignInCommands(operators);
}
