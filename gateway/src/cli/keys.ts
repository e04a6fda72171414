import type { Command } from 'commander';
import { administer, flagsOf } from './administer.ts';
import { printFields, printRows, type Row } from './print.ts';

interface KeyFlags {
  readonly space?: string;
  readonly kind: string;
  readonly name?: string;
  readonly email?: string;
  readonly days?: string;
}

export function addKeyCommands(program: Command): void {
  const keys = program.command('keys').description('the keys of a space');
  keys
    .command('create <name>')
    .description('make a key and show it, this once')
    .option('--space <name>', 'the space (may be left out when there is only one)')
    .option('--kind <kind>', 'personal (with --email), shared, or management (mk_)', 'shared')
    .option('--email <email>', 'the owner of a personal key')
    .option('--days <days>', 'how long it is valid', '90')
    .action(async (name: string, _: unknown, command: Command) => {
      const flags = flagsOf<KeyFlags>(command);
      const { space, kind, email, days } = flags;
      const made = await administer<Row>('keys.create', { name, space, kind, email, days }, flags);
      printFields(made, { json: flags.json ?? false });
      if (!flags.json) process.stderr.write('Keep the key now: only a digest of it is stored.\n');
    });
  keys
    .command('list')
    .description('list the keys of a space, masked')
    .option('--space <name>', 'the space')
    .action(async (_: unknown, command: Command) => {
      const flags = flagsOf<KeyFlags>(command);
      const rows = await administer<Row[]>('keys.list', { space: flags.space }, flags);
      printRows(rows, {
        json: flags.json ?? false,
        empty: 'No keys yet. Make one with "tollgate keys create NAME".',
      });
    });
  keys
    .command('revoke <name>')
    .description('refuse a key from now on, everywhere')
    .option('--space <name>', 'the space')
    .action(async (name: string, _: unknown, command: Command) => {
      const flags = flagsOf<KeyFlags>(command);
      printFields(await administer<Row>('keys.revoke', { name, space: flags.space }, flags), {
        json: flags.json ?? false,
      });
    });
  keys
    .command('limit <name> <amount|none>')
    .description('limit the units a key may spend in a month, or take the limit away')
    .option('--space <name>', 'the space')
    .action(async (name: string, amount: string, _: unknown, command: Command) => {
      const flags = flagsOf<{ space?: string }>(command);
      const args = { name, amount, space: flags.space };
      printFields(await administer<Row>('keys.limit', args, flags), { json: flags.json ?? false });
    });
}
