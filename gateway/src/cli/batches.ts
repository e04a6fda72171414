import type { Command } from 'commander';
import { administer, administerAndPrint, flagsOf } from './administer.ts';
import { printRows, type Row } from './print.ts';

interface BatchesFlags {
  readonly space?: string;
  readonly settlement?: string;
  readonly limit?: string;
}

export function addBatchesCommands(program: Command): void {
  const batches = program.command('batches').description('the batches of all spaces, for operators');
  batches
    .command('list')
    .description('list batches, the newest first')
    .option('--space <name>', 'only of this space')
    .option('--settlement <status>', 'only those, such as quarantined')
    .option('--limit <batches>', 'how many', '20')
    .action(async (_: unknown, command: Command) => {
      const flags = flagsOf<BatchesFlags>(command);
      const { space, settlement, limit } = flags;
      const rows = await administer<Row[]>('batches.list', { space, settlement, limit }, flags);
      printRows(rows, { json: flags.json ?? false, empty: 'There are none.' });
    });
  batches
    .command('requeue <id>')
    .description('settle a batch that was held back, once what was wrong is mended')
    .action(async (id: string, _: unknown, command: Command) => {
      await administerAndPrint('batches.requeue', { id }, flagsOf(command));
    });
}
