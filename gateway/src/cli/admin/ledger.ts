/** `ledger`: the journal of every unit that moved. */
import type { Verdict } from '../../reports/verify-books.store.ts';
import { argument, command, group, option } from '../command.ts';
import { printJson, printRows, type Row } from '../print.ts';
import { amount, wholeNumber } from '../words.ts';
import { administer, administerAndPrint, space } from './administer.ts';

const verify = command({
  name: 'verify',
  help: 'prove balances, charges and totals from the journal; exits with 1 if they disagree',
  async run(_, flags) {
    const verdict = await administer('ledger.verify', {}, flags);
    if (flags.json) printJson(verdict);
    else printVerdict(verdict);
    if (verdict.disagreements.length > 0) process.exitCode = 1;
  },
});

const list = command({
  name: 'list',
  help: 'list the journal entries of a space, newest first; the accounts of each entry sum to zero',
  options: {
    space,
    limit: option('<entries>', 'how many entries to show', { read: wholeNumber, default: 20 }),
  },
  async run(input, flags) {
    printRows(await administer('ledger.list', input, flags), { json: flags.json, empty: 'No entries yet.' });
  },
});

const correct = command({
  name: 'correct',
  help: 'set what a call should have cost; the difference is credited or charged',
  arguments: {
    call: argument('<request-id>', 'the x-request-id of the call'),
    amount: argument('<amount>', 'its cost in units, as a decimal number', amount),
  },
  options: { note: option('<text>', 'the reason') },
  run: (input, flags) => administerAndPrint('ledger.correct', input, flags),
});

export const ledgerCommands = group({
  name: 'ledger',
  help: 'verify, read and correct the journal of all units',
  commands: [verify, list, correct],
});

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
  printRows(rows, { empty: 'There are no spaces.' });
  if (disagreements.length === 0) {
    process.stdout.write(
      '\nThe books agree: given = promo + paid + from held + expired, to the last decimal.\n',
    );
    return;
  }
  process.stdout.write(`\nThe books disagree in ${disagreements.length} places:\n`);
  printRows(disagreements as unknown as Row[], { empty: '' });
}
