/** `prices`: keep the price sheet complete and fresh. */
import { group, option } from '../command.ts';
import { printJson, printRows } from '../print.ts';
import { time } from '../words.ts';
import { adminCommand } from './admin-command.ts';
import { checkPriceSheet } from './check-price-sheet.ts';
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

export const priceCommands = group({
  name: 'prices',
  help: 'keep the price sheet complete and up to date',
  commands: [missing, importPrices, checkPriceSheet],
});
