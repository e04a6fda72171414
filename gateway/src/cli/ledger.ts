import type { Command } from 'commander';
import type { Verdict } from '../reports/verify-books.store.ts';
import { administer, administerAndPrint, flagsOf } from './administer.ts';
import { printJson, printRows, type Row } from './print.ts';

interface LedgerFlags {
  readonly space?: string;
  readonly limit?: string;
  readonly note?: string;
}

export function addLedgerCommands(program: Command): void {
  const ledger = program.command('ledger').description('the journal of every unit that moved');
  ledger
    .command('verify')
    .description('prove balances, charges and totals from the journal; exit 1 where they disagree')
    .action(async (_: unknown, command: Command) => {
      const flags = flagsOf(command);
      const verdict = await administer<Verdict>('ledger.verify', {}, flags);
      if (flags.json) printJson(verdict);
      else printVerdict(verdict);
      if (verdict.disagreements.length > 0) process.exitCode = 1;
    });
  ledger
    .command('list')
    .description('show the newest entries of a space; the accounts of each sum to zero')
    .option('--space <name>', 'the space (may be left out when there is only one)')
    .option('--limit <entries>', 'how many', '20')
    .action(async (_: unknown, command: Command) => {
      const flags = flagsOf<LedgerFlags>(command);
      const { space, limit } = flags;
      const rows = await administer<Row[]>('ledger.list', { space, limit }, flags);
      printRows(rows, { json: flags.json ?? false, empty: 'No unit has moved yet.' });
    });
  ledger
    .command('correct <request-id> <amount>')
    .description('set what a call should have cost; the difference is given back, or charged')
    .option('--note <text>', 'why')
    .action(async (call: string, amount: string, _: unknown, command: Command) => {
      const flags = flagsOf<LedgerFlags>(command);
      await administerAndPrint('ledger.correct', { call, amount, note: flags.note }, flags);
    });
}

function printVerdict({ spaces, disagreements }: Verdict): void {
  const rows = spaces.map(({ chargedFromHeld, ...books }) => ({
    space: books.space,
    entries: books.entries,
    given: books.given,
    promo: books.promo,
    paid: books.paid,
    'from held': chargedFromHeld,
    expired: books.expired,
    overage: books.overage,
    invoiced: books.invoiced,
    spent: books.spent,
  }));
  printRows(rows, { json: false, empty: 'There are no spaces.' });
  if (disagreements.length === 0) {
    process.stdout.write(
      '\nThe books agree: given = promo + paid + from held + expired, to the last decimal.\n',
    );
    return;
  }
  process.stdout.write(`\nThe books disagree in ${disagreements.length} places:\n`);
  printRows(disagreements as unknown as Row[], { json: false, empty: '' });
}
