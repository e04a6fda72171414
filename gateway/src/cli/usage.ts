import type { Command } from 'commander';
import type { BalanceRecord } from '../contract/platform.ts';
import type { UsageBreakdown } from '../reports/usage-breakdown.ts';
import { administer, flagsOf } from './administer.ts';
import { printCsv, printFields, printJson, printRows } from './print.ts';

interface UsageFlags {
  readonly space?: string;
  readonly month?: string;
  readonly by: string;
  readonly csv?: boolean;
}

export function addUsageCommands(program: Command): void {
  program
    .command('usage')
    .description('what a space used in a month of Korea')
    .option('--space <name>', 'the space (may be left out when there is only one)')
    .option('--month <YYYY-MM>', 'the month (default: this one)')
    .option('--by <what>', 'model, key, member or day', 'model')
    .option('--csv', 'print comma-separated values')
    .action(async (_: unknown, command: Command) => {
      const flags = flagsOf<UsageFlags>(command);
      const { space, month, by } = flags;
      const usage = await administer<UsageBreakdown & { space: string }>(
        'reports.usage',
        { space, month, by },
        flags,
      );
      if (flags.json) printJson(usage);
      else if (flags.csv) printCsv(rowsOf(usage), [by, 'requests', 'unpriced', 'cost']);
      else printUsage(usage);
    });
  program
    .command('balance')
    .description('what a space holds and owes')
    .option('--space <name>', 'the space (may be left out when there is only one)')
    .action(async (_: unknown, command: Command) => {
      const flags = flagsOf<UsageFlags>(command);
      const balance = await administer<BalanceRecord & { space: string }>(
        'reports.balance',
        { space: flags.space },
        flags,
      );
      if (flags.json) {
        printJson(balance);
        return;
      }
      const { space, held, overage, blocked } = balance;
      printFields(
        {
          space,
          promo: held.promo,
          paid: held.paid,
          held: held.total,
          overage: overage.accrued,
          'overage allowed': overage.allowed,
          blocked,
        },
        { json: false },
      );
    });
}

function rowsOf({ by, rows }: UsageBreakdown) {
  return rows.map(({ name, requests, unpriced, cost }) => ({ [by]: name, requests, unpriced, cost }));
}

function printUsage(usage: UsageBreakdown & { space: string }): void {
  const { space, total, period_start, period_end, by } = usage;
  process.stdout.write(`${space}, ${period_start} to ${period_end}\n\n`);
  const sum = { [by]: 'total', ...total };
  printRows(usage.rows.length === 0 ? [] : [...rowsOf(usage), sum], {
    json: false,
    empty: 'Nothing was used in this month.',
  });
  if (total.unpriced > 0) process.stdout.write(`\nWithout a known cost, and not in it: ${total.unpriced}.\n`);
}
