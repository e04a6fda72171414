import type { Command } from 'commander';
import { administer, flagsOf } from './administer.ts';
import { printFields, printRows, type Row } from './print.ts';

interface GrantFlags {
  readonly space?: string;
  readonly kind: string;
  readonly expires?: string;
  readonly note?: string;
}

export function addGrantCommands(program: Command): void {
  const grants = program.command('grants').description('the units given to a space');
  grants
    .command('add <amount>')
    .description('give units')
    .option('--space <name>', 'the space (may be left out when there is only one)')
    .option('--kind <kind>', 'paid, or promo (used first, may expire)', 'paid')
    .option('--expires <date>', 'the last day (YYYY-MM-DD, KST), for promo units')
    .option('--note <text>', 'what it was for')
    .action(async (amount: string, _: unknown, command: Command) => {
      const flags = flagsOf<GrantFlags>(command);
      const { space, kind, expires, note } = flags;
      const made = await administer<Row>('grants.add', { amount, space, kind, expires, note }, flags);
      printFields(made, { json: flags.json ?? false });
    });
  grants
    .command('list')
    .description('list what was given and what is left of it')
    .option('--space <name>', 'the space')
    .action(async (_: unknown, command: Command) => {
      const flags = flagsOf<GrantFlags>(command);
      const rows = await administer<Row[]>('grants.list', { space: flags.space }, flags);
      printRows(rows, {
        json: flags.json ?? false,
        empty: 'No units yet. Give some with "tollgate grants add AMOUNT".',
      });
    });
}
