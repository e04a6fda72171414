import type { Command } from 'commander';
import { administer, administerAndPrint, flagsOf } from './administer.ts';
import { printFields, printRows, type Row } from './print.ts';

export function addSpaceCommands(program: Command): void {
  const spaces = program.command('spaces').description('the tenants of the installation');
  spaces
    .command('create <name>')
    .description('make a space')
    .option('--overage', 'let it use units beyond those it holds')
    .action(async (name: string, _: unknown, command: Command) => {
      const flags = flagsOf<{ overage?: boolean }>(command);
      const made = await administer<Row>('spaces.create', { name, overage: flags.overage }, flags);
      printFields(made, { json: flags.json ?? false });
    });
  spaces
    .command('list')
    .description('list the spaces with what they hold and owe')
    .action(async (_: unknown, command: Command) => {
      const flags = flagsOf(command);
      const rows = await administer<Row[]>('spaces.list', {}, flags);
      printRows(rows, {
        json: flags.json ?? false,
        empty: 'No spaces yet. Make one with "tollgate spaces create NAME".',
      });
    });
  spaces
    .command('overage <name> <on|off>')
    .description('allow or forbid usage beyond the units a space holds')
    .action(async (name: string, state: string, _: unknown, command: Command) => {
      const flags = flagsOf(command);
      await administerAndPrint('spaces.overage', { space: name, state }, flags);
    });
  spaces
    .command('keep-responses <name> <on|off>')
    .description('keep the items of responses for 30 days, so that later calls can refer to them, or not')
    .action(async (name: string, state: string, _: unknown, command: Command) => {
      const flags = flagsOf(command);
      await administerAndPrint('spaces.keepResponses', { space: name, state }, flags);
    });
  spaces
    .command('block <name> <on|off>')
    .description('let a space spend nothing, or let it spend again')
    .action(async (name: string, state: string, _: unknown, command: Command) => {
      const flags = flagsOf(command);
      await administerAndPrint('spaces.block', { space: name, state }, flags);
    });
  spaces
    .command('rate <name>')
    .description('limit what all keys of a space together may ask in a minute; none takes a limit away')
    .option('--requests <number|none>', 'requests a minute')
    .option('--tokens <number|none>', 'tokens a minute')
    .action(async (name: string, _: unknown, command: Command) => {
      const flags = flagsOf<{ requests?: string; tokens?: string }>(command);
      const { requests, tokens } = flags;
      await administerAndPrint('spaces.rate', { space: name, requests, tokens }, flags);
    });
  spaces
    .command('invoice <name>')
    .description('bill what a space used beyond its units: the overage goes back to zero')
    .option('--note <text>', 'what the invoice is called elsewhere')
    .action(async (name: string, _: unknown, command: Command) => {
      const flags = flagsOf<{ note?: string }>(command);
      await administerAndPrint('spaces.invoice', { space: name, note: flags.note }, flags);
    });
}
