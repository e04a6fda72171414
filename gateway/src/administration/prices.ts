/** What the price sheet does not cover. */
import { kstOf } from '../kernel/time.ts';
import { readMissingPrices } from '../reports/missing-prices.store.ts';
import { read } from './operation.ts';

const missing = read('prices.missing', async ({ db }, { from }) => {
  const { rows, complete } = await readMissingPrices(db, {
    from: from === undefined ? null : Date.parse(from),
  });
  const data = rows.map(({ firstAt, lastAt, ...row }) => ({
    ...row,
    first_at: kstOf(firstAt),
    last_at: kstOf(lastAt),
  }));
  return { data, complete };
});

export const priceOperations = [missing] as const;
