/** `statement`, `reports focus` and `invoices`: the books of a space for people who pay. */
import type { ResultOf } from '../../contract/administration/admin-endpoints.ts';
import { csvText } from '../../contract/administration/csv.ts';
import { statementTable } from '../../contract/administration/statement-table.ts';
import { inCurrency, printWorth } from '../../kernel/unit-value.ts';
import { command, flag, group, option } from '../command.ts';
import { printJson, printRows } from '../print.ts';
import { listCommand } from './admin-command.ts';
import { administer, space } from './administer.ts';
import { withWorth } from './with-worth.ts';

const month = option('<YYYY-MM>', 'the month (default: the current one)');

export const statementCommand = command({
  operations: ['statements.get'],
  name: 'statement',
  help: 'show what a space held, was given and was charged in a calendar month (KST)',
  examples: [
    'tollgate statement --space acme --month 2026-10',
    'tollgate statement --space acme --month 2026-10 --csv',
  ],
  options: { space, month, csv: flag('print comma-separated values') },
  async run({ csv, ...input }, flags) {
    const statement = await administer('statements.get', input, flags);
    if (flags.json) printJson(statement);
    else if (csv)
      process.stdout.write(csvText(statementTable.rows(statement), statementTable.columns(statement)));
    else printStatement(statement);
  },
});

export const focusCommand = listCommand('reports.focus', {
  help: 'export a calendar month (KST) in the FOCUS 1.2 format of the FinOps Foundation; --all --csv for a file',
  examples: ['tollgate reports focus --space acme --month 2026-10 --all --csv'],
  options: { space, month },
  columns: [
    'ChargePeriodStart',
    'x_Movement',
    'SkuId',
    'SubAccountName',
    'ConsumedQuantity',
    'BilledCost',
    'x_Units',
    'x_Reference',
  ],
  empty: 'Nothing was charged or moved in this month.',
});

const list = listCommand('invoices.list', {
  help: 'list the invoices of overage, newest first',
  examples: ['tollgate invoices list --space acme'],
  options: { space },
  columns: ['id', 'at', 'units', 'note'],
  empty: 'Nothing was invoiced yet.',
});

export const invoiceCommands = group({
  name: 'invoices',
  help: 'list the invoices of overage; "spaces invoice" creates one',
  commands: [list],
});

function printStatement(statement: ResultOf<'statements.get'>): void {
  const { opening, lines, closing, charged, worth } = statement;
  process.stdout.write(`${statement.space}, ${statement.period_start} to ${statement.period_end}\n\n`);
  const balance = (name: string, of: typeof opening) => ({
    movement: name,
    entries: null,
    amount: null,
    promo: of.promo,
    paid: of.paid,
    overage: of.overage,
  });
  const moved = lines.map(({ kind, source, entries, amount, promo, paid, overage }) => ({
    movement: source === null ? kind : `${kind} (${source})`,
    entries,
    amount,
    promo,
    paid,
    overage,
  }));
  printRows([balance('opening', opening), ...moved, balance('closing', closing)], { empty: '' });
  process.stdout.write(`\nCharged: ${withWorth(charged, worth)}.\n`);
  if (worth !== null) {
    const { currency, per_unit } = worth;
    const held = [opening, closing].map(({ total }) => printWorth(total, worth));
    process.stdout.write(
      `Held: ${held.join(' at the start, ')} at the end. One unit: ${per_unit} ${currency}.\n`,
    );
  }
  if (statement.models.length > 0) printCharges(statement);
}

function printCharges({ models, keys, usage, worth }: ResultOf<'statements.get'>): void {
  const part = ({ requests, unpriced, charges, corrections, amount }: (typeof models)[number]) => ({
    requests,
    unpriced,
    charges,
    corrections,
    amount,
    ...(worth !== null && { [worth.currency]: inCurrency(amount, worth) }),
  });
  process.stdout.write('\n');
  printRows(
    models.map((row) => ({ model: row.model, ...part(row) })),
    { empty: '' },
  );
  process.stdout.write('\n');
  printRows(
    keys.map(({ key, ...row }) => ({ key, ...part({ model: '', ...row }) })),
    { empty: '' },
  );
  for (const { month: of, amount } of usage.corrections_of)
    process.stdout.write(`\nIncludes corrections of calls of ${of}: ${withWorth(amount, worth)}.\n`);
  for (const { month: made, amount } of usage.corrected_in)
    process.stdout.write(`\nCalls of this month were corrected in ${made}: ${withWorth(amount, worth)}.\n`);
}
