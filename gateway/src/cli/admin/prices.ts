/** `prices`: keep the price sheet complete and fresh. */
import { systemClock } from '../../kernel/time.ts';
import { command, group, option } from '../command.ts';
import { durationIn } from '../duration.ts';
import { printJson, printRows } from '../print.ts';
import { time } from '../words.ts';
import { adminCommand } from './admin-command.ts';
import { importPrices } from './import-prices.ts';

const missing = adminCommand('prices.missing', {
  help: 'list what was used or asked for and had no price: the model, the component or condition, how many calls and rejected requests, since when',
  examples: ['tollgate prices missing', 'tollgate prices missing --from 2026-11-01'],
  options: { from: option('<date>', 'only calls from this moment on', { read: time }) },
  print({ data, complete }, flags) {
    if (flags.json) {
      printJson({ data, complete });
      return;
    }
    printRows(data, { empty: 'Everything that was used or asked for had a price.' });
    if (!complete) process.stderr.write('Only the newest 50,000 calls without a price were examined.\n');
  },
});

const DAYS = 30;

/** What of the price sheet is old, missing or dated ahead. */
const checkPriceSheet = command({
  name: 'check',
  help: 'list prices of real models that are old, missing or dated ahead; exits with 1 if one is old or missing',
  examples: ['tollgate prices check', 'tollgate prices check --days 7d'],
  options: {
    days: option('<duration>', 'how old prices may be, such as 7d; a number alone means days', {
      read: durationIn('d'),
      default: DAYS,
    }),
  },
  async run({ days }, flags) {
    const { checkSheet } = await import('../../price-import/check-sheet.ts');
    const { readSheet } = await import('../read-sheet.ts');
    const { content } = await readSheet(flags);
    const findings = checkSheet(content, { now: systemClock.now(), days });
    printRows(
      findings.map((one) => ({ ...one })),
      { ...flags, empty: 'All prices are there, and none is old.' },
    );
    if (findings.some(({ finding }) => finding !== 'ahead')) process.exitCode = 1;
  },
});

export const priceCommands = group({
  name: 'prices',
  help: 'keep the price sheet complete and up to date',
  commands: [missing, importPrices, checkPriceSheet],
});
