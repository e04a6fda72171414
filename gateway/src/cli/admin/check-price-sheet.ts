/** `prices check`: what of the price sheet is old, missing or dated ahead. */
import { systemClock } from '../../kernel/time.ts';
import { command, option } from '../command.ts';
import { durationIn } from '../duration.ts';
import { printRows } from '../print.ts';

const DAYS = 30;

export const checkPriceSheet = command({
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
