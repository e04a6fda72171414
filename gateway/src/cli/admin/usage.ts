/** `usage` and `balance`: what a space used, and what it holds and owes. */
import type { ResultOf } from '../../contract/administration/admin-endpoints.ts';
import { csvText } from '../../contract/administration/csv.ts';
import { USAGE_DIMENSION, USAGE_DIMENSIONS_SHOWN } from '../../contract/administration/usage-dimensions.ts';
import { usageDimensions } from '../../contract/administration/words.ts';
import { printWorth } from '../../kernel/unit-value.ts';
import { command, flag, option } from '../command.ts';
import { printFields, printJson, printRows } from '../print.ts';
import { UsageError } from '../usage-error.ts';
import { adminCommand } from './admin-command.ts';
import { administer, space } from './administer.ts';
import { withWorth } from './with-worth.ts';

type Usage = ResultOf<'reports.usage'>;

export const usageCommand = command({
  operations: ['reports.usage', 'usage.days', 'usage.dimensions'],
  name: 'usage',
  help: 'show what a space used in a calendar month (KST)',
  examples: [
    'tollgate usage --by key',
    'tollgate usage --by tag:team --and model',
    'tollgate usage --space acme --month 2026-10 --by day --csv',
  ],
  options: {
    space,
    month: option('<YYYY-MM>', 'the month (default: the current one)'),
    by: option('<what>', `${USAGE_DIMENSIONS_SHOWN}, or day-model for each model on each day`, {
      read: (text: string, label: string) => (text === 'day-model' ? text : dimension(text, label)),
      default: 'model',
    }),
    and: option('<what>', 'the same, for rows by two at once', { read: dimension }),
    csv: flag('print comma-separated values'),
    dimensions: flag(
      'list the tags that requests of the month have, and whether they have end users and sessions',
    ),
  },
  async run({ csv, by, and, dimensions, ...input }, flags) {
    if (dimensions) {
      const used = await administer('usage.dimensions', input, flags);
      const rows = used.dimensions.map((dimension) => ({ dimension }));
      if (csv) process.stdout.write(csvText(rows, ['dimension']));
      else
        printRows(rows, {
          json: flags.json,
          empty: 'No request of this month has a tag, an end user or a session.',
        });
      return;
    }
    if (by === 'day-model') {
      if (and !== undefined) throw new UsageError('day-model is by two already: leave --and out.');
      const { rows } = await administer('usage.days', input, flags);
      if (csv) process.stdout.write(csvText(rows, ['day', 'model', 'requests', 'unpriced', 'cost']));
      else printRows(rows, { json: flags.json, empty: 'Nothing was used in this month.' });
      return;
    }
    const usage = await administer('reports.usage', { ...input, by, and }, flags);
    if (flags.json) printJson(usage);
    else if (csv) process.stdout.write(csvText(rowsOf(usage), columnsOf(usage)));
    else printUsage(usage);
  },
});

export const balanceCommand = adminCommand('reports.balance', {
  help: 'show the units a space holds and owes',
  examples: ['tollgate balance --space acme'],
  options: { space },
  print(balance, flags) {
    if (flags.json) {
      printJson(balance);
      return;
    }
    const { held, overage, blocked, worth } = balance;
    printFields({
      space: balance.space,
      promo: held.promo,
      paid: held.paid,
      held: held.total,
      overage: overage.accrued,
      'overage allowed': overage.allowed,
      blocked,
      ...(worth !== null && {
        'held is worth': printWorth(held.total, worth),
        'overage is worth': printWorth(overage.accrued, worth),
      }),
    });
  },
});

/** Names of keys can be used again, so that only their ids tell them apart. */
function columnsOf({ by, and }: Usage): string[] {
  const both = and === null ? [by] : [by, and];
  const names = both.flatMap((one, place) =>
    isPlain(one) ? [one] : [one, place === 0 ? 'kind' : 'and_kind'],
  );
  return [...names, 'requests', 'unpriced', 'cost', ...(both.includes('key') ? ['key_id'] : [])];
}

/** A value may be called "other" too: only the kind tells them apart. */
function rowsOf({ by, and, rows }: Usage) {
  return rows.map(({ name, kind, and_name, and_kind, key_id, ...row }) => ({
    [by]: name,
    ...(!isPlain(by) && { kind }),
    ...(and !== null && { [and]: and_name, ...(!isPlain(and) && { and_kind }) }),
    ...row,
    ...((by === 'key' || and === 'key') && { key_id }),
  }));
}

function isPlain(dimension: string): boolean {
  return (usageDimensions as readonly string[]).includes(dimension);
}

function dimension(text: string, label: string): string {
  if (USAGE_DIMENSION.test(text)) return text;
  throw new UsageError(`${label} must be one of ${USAGE_DIMENSIONS_SHOWN}.`);
}

function printUsage(usage: Usage): void {
  const { total, period_start, period_end, by, worth } = usage;
  process.stdout.write(`${usage.space}, ${period_start} to ${period_end}\n\n`);
  const sum = { [by]: 'total', ...total };
  const rows = usage.rows.length === 0 ? [] : [...rowsOf(usage), sum];
  printRows(rows, { empty: 'Nothing was used in this month.' });
  if (worth !== null) process.stdout.write(`\nTotal: ${withWorth(total.cost, worth)}.\n`);
  if (total.unpriced > 0)
    process.stdout.write(`\nRequests of unknown cost, not included in the sum: ${total.unpriced}.\n`);
}
