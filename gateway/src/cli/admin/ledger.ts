/** `ledger`: the journal of every unit that moved. */
import type { ResultOf } from '../../contract/administration/admin-endpoints.ts';
import { argument, group, option } from '../command.ts';
import { printJson, printRows } from '../print.ts';
import { amount } from '../words.ts';
import { adminCommand, listCommand } from './admin-command.ts';
import { space } from './administer.ts';

const verify = adminCommand('ledger.verify', {
  help: 'prove balances, charges and totals from the journal; exits with 1 if they disagree',
  examples: ['tollgate ledger verify'],
  print(verdict, flags) {
    if (flags.json) printJson(verdict);
    else printVerdict(verdict);
    if (verdict.disagreements.length > 0) process.exitCode = 1;
  },
});

const list = listCommand('ledger.list', {
  help: 'list the journal entries of a space, newest first; the accounts of each entry sum to zero',
  examples: ['tollgate ledger list --space acme --limit 100'],
  options: { space },
  columns: [
    'entry',
    'at',
    'kind',
    'ref',
    'issued',
    'promo',
    'paid',
    'overage',
    'spent',
    'expired',
    'invoiced',
    'due',
    'note',
  ],
  empty: 'No entries yet.',
});

const correct = adminCommand('ledger.correct', {
  help: 'set what a call should have cost; the difference is credited or charged',
  examples: ["tollgate ledger correct req_01j9x8w7v6t5s4r3q2p1n0m9k8 0.5 --note 'wrong price'"],
  arguments: {
    call: argument('<request-id>', 'the x-request-id of the call'),
    amount: argument('<amount>', 'its cost in units, as a decimal number', amount),
  },
  options: { note: option('<text>', 'the reason') },
});

const forgive = adminCommand('ledger.forgive', {
  help: 'let requests without a price cost nothing, so that they no longer count against units and limits',
  examples: [
    "tollgate ledger forgive acme --model sim-chat --note 'tier that nobody asked for'",
    'tollgate ledger forgive acme --ref req_01j9x8w7v6t5s4r3q2p1n0m9k8',
  ],
  arguments: { space: argument('<space>', 'the name of the space') },
  options: {
    ref: option('<id>', 'only this call or video'),
    model: option('<model>', 'only requests of this model'),
    note: option('<text>', 'the reason'),
  },
});

export const ledgerCommands = group({
  name: 'ledger',
  help: 'verify, read and correct the journal of all units',
  commands: [verify, list, correct, forgive],
});

function printVerdict({ spaces, disagreements }: ResultOf<'ledger.verify'>): void {
  const rows = spaces.map(({ charged_from_held, ...books }) => ({
    space: books.space,
    entries: books.entries,
    given: books.given,
    promo: books.promo,
    paid: books.paid,
    'from held': charged_from_held,
    expired: books.expired,
    overage: books.overage,
    invoiced: books.invoiced,
    due: books.due,
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
  printRows(disagreements, { empty: '' });
}
