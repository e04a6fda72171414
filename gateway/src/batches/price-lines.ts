/** Prices the lines that had no price when they ran, if the price sheet has one now. */
import { chargedPrice } from '../catalog/charged-price.ts';
import type { Model } from '../catalog/model.ts';
import type { Database } from '../database/database.ts';
import type { Instant } from '../kernel/time.ts';
import type { PricedCaller } from '../pricing/markup.ts';
import { batchPrice } from '../pricing/model-price.ts';
import { priceUsage } from '../pricing/price.ts';
import { listUnpricedLines, writeLineCosts } from './batch-lines.store.ts';

const PAGE_LINES = 500;

/** `submittedAt` decides which prices apply if they have dates. */
export async function priceLines(
  { id: batchId, submittedAt, caller }: { id: string; submittedAt: Instant; caller: PricedCaller },
  model: Model,
  db: Database,
): Promise<void> {
  const price = batchPrice(chargedPrice(model, caller, submittedAt));
  let after = 0;
  for (;;) {
    const page = await listUnpricedLines(db, batchId, { after, linesMax: PAGE_LINES });
    const priced = page.flatMap(({ line, usage }) => {
      const charge = usage === null ? null : priceUsage(usage, price);
      return charge === null ? [] : [{ line, cost: charge.total }];
    });
    if (priced.length > 0) await writeLineCosts(db, batchId, priced, model.priceVersion);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_LINES) return;
    after = last.line;
  }
}
