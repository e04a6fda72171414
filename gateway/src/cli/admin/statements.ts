/** `statement` and `invoices`: the books of a space for people who pay. */
import type { ResultOf } from '../../contract/administration/admin-endpoints.ts';
import { group, option } from '../command.ts';
import { printJson, printRows } from '../print.ts';
import { time } from '../words.ts';
import { adminCommand, listCommand } from './admin-command.ts';
import { space } from './administer.ts';

export const statementCommand = adminCommand('statements.get', {
  name: 'statement',
  help: 'show what a space held, was given and was charged in a calendar month (KST)',
  examples: ['tollgate statement --space acme --month 2026-10'],
  options: { space, month: option('<YYYY-MM>', 'the month (default: the current one)') },
  print(statement, flags) {
    if (flags.json) printJson(statement);
    else printStatement(statement);
  },
});

const list = listCommand('invoices.list', {
  name: 'list',
  help: 'list the invoices of overage, newest first',
  examples: ['tollgate invoices list --space acme'],
  options: {
    space,
    from: option('<date>', 'only invoices from this moment on', { read: time }),
    until: option('<date>', 'only invoices before this moment', { read: time }),
  },
  columns: ['id', 'at', 'units', 'note'],
  empty: 'Nothing was invoiced yet.',
});

export const invoiceCommands = group({
  name: 'invoices',
  help: 'list the invoices of overage; "spaces invoice" creates one',
  commands: [list],
});

function printStatement(statement: ResultOf<'statements.get'>): void {
  const { opening, lines, closing } = statement;
  process.stdout.write(`${statement.space}, ${statement.period_start} to ${statement.period_end}\n\n`);
  const balance = (name: string, of: typeof opening) => ({
    ...{ movement: name, entries: null, amount: null, promo: of.promo, paid: of.paid, overage: of.overage },
  });
  const moved = lines.map(({ kind, source, entries, amount, promo, paid, overage }) => ({
    movement: source === null ? kind : `${kind} (${source})`,
    ...{ entries, amount, promo, paid, overage },
  }));
  printRows([balance('opening', opening), ...moved, balance('closing', closing)], { empty: '' });
  process.stdout.write(`\nCharged: ${statement.charged} units.\n`);
}
