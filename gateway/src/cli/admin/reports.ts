/** `reports`: what was charged for other tools, and beside it what providers bill. */
import type { ResultOf } from '../../contract/administration/admin-endpoints.ts';
import { csvText } from '../../contract/administration/csv.ts';
import { marginDimensions } from '../../contract/administration/words.ts';
import { command, flag, group, option } from '../command.ts';
import { printJson, printRows } from '../print.ts';
import { amount, oneOf } from '../words.ts';
import { administer } from './administer.ts';
import { focusCommand } from './statements.ts';

type Margin = ResultOf<'reports.margin'>;

const columns = ['requests', 'charge', 'charge_unknown', 'cost', 'currency', 'cost_unknown', 'margin'];

const marginCommand = command({
  operations: ['reports.margin'],
  name: 'margin',
  help: 'show cost, charge and margin of a calendar month (KST)',
  examples: ['tollgate reports margin --by space', 'tollgate reports margin --month 2026-10 --by day --csv'],
  options: {
    month: option('<YYYY-MM>', 'the month (default: the current one)'),
    by: option('<what>', 'space, model or day', { read: oneOf(marginDimensions), default: 'model' }),
    unitsPerCurrency: option(
      '<amount>',
      'how many units one unit of the currency is worth (default: that of the price sheet)',
      { read: amount },
    ),
    csv: flag('print comma-separated values'),
  },
  async run({ csv, month, by, unitsPerCurrency }, flags) {
    const report = await administer(
      'reports.margin',
      { month, by, units_per_currency: unitsPerCurrency },
      flags,
    );
    if (flags.json) printJson(report);
    else if (csv) process.stdout.write(csvText(rowsOf(report), [by, ...columns]));
    else printMargin(report);
  },
});

export const reportCommands = group({
  name: 'reports',
  help: 'export what was charged, and show what providers bill beside it',
  commands: [focusCommand, marginCommand],
});

function rowsOf({ by, rows }: Margin) {
  return rows.map(({ name, ...row }) => ({ [by]: name, ...row }));
}

function printMargin(report: Margin): void {
  const totals = report.totals.map((total) => ({ [report.by]: totalName(total, report), ...total }));
  const rows = report.rows.length === 0 ? [] : [...rowsOf(report), ...totals];
  printRows(rows, { empty: 'Nothing was used in this month.' });
  if (report.units_per_currency === null)
    process.stderr.write('There is no margin: use --units-per-currency, or start the server.\n');
}

/** Amounts in different currencies are not added up, nor are those that have none. */
function totalName({ currency }: Margin['totals'][number], { totals }: Margin): string {
  if (totals.length === 1) return 'total';
  return currency === null ? 'total without a known cost' : `total in ${currency}`;
}
