/** The statement as one table for spreadsheets: a row for each balance, movement, model, key and corrected month. */
import type { Static } from 'typebox';
import { inCurrency } from '../../kernel/unit-value.ts';
import type { CsvTable } from './admin-endpoint.ts';
import type { Statement } from './statements.ts';

type Answer = Static<typeof Statement>;
type Row = Readonly<Record<string, unknown>>;
type AmountRow = Row & { readonly amount: string };

const columns = [
  ...['month', 'section', 'name', 'id', 'count', 'unpriced', 'charges', 'corrections', 'amount'],
  ...['promo', 'paid', 'overage'],
];

/** Only where the installation states what units are worth. */
const worthColumns = ['worth', 'currency', 'per_unit'];

export const statementTable: CsvTable = {
  columns: (answer) => ((answer as Answer).worth ? [...columns, ...worthColumns] : columns),
  rows: (answer) => rowsOf(answer as Answer),
};

function rowsOf({ month, opening, lines, closing, models, keys, usage, worth }: Answer): Row[] {
  const balance = (name: string, { total, ...accounts }: Answer['opening']) => ({
    section: 'balance',
    name,
    amount: total,
    ...accounts,
  });
  const rows: AmountRow[] = [
    balance('opening', opening),
    ...lines.map(({ kind, source, entries, ...moved }) => ({
      section: 'movement',
      name: source === null ? kind : `${kind} (${source})`,
      count: entries,
      ...moved,
    })),
    balance('closing', closing),
    ...models.map(({ model, requests, ...sums }) => ({
      section: 'model',
      name: model,
      count: requests,
      ...sums,
    })),
    ...keys.map(({ key, id, member: _, requests, ...sums }) => ({
      section: 'key',
      name: key,
      id,
      count: requests,
      ...sums,
    })),
    ...corrected('corrected in', usage.corrected_in),
    ...corrected('correction of', usage.corrections_of),
    { section: 'usage', name: 'cost', amount: usage.cost },
  ];
  return rows.map((row) => ({ month, ...row, ...worthCells(row, worth) }));
}

function worthCells({ amount }: AmountRow, rate: Answer['worth']): Row {
  if (!rate) return {};
  const { currency, per_unit } = rate;
  return { worth: inCurrency(amount, rate), currency, per_unit };
}

function corrected(section: string, months: Answer['usage']['corrected_in']): AmountRow[] {
  return months.map(({ month, entries, amount }) => ({ section, name: month, count: entries, amount }));
}
