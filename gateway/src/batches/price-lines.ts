/** Prices the lines that had no price when they ran, if the price sheets have one now, for both sides. */
import { chargedPrice } from '../catalog/charged-price.ts';
import type { Model } from '../catalog/model.ts';
import type { Database } from '../database/database.ts';
import type { PricedCaller } from '../pricing/markup.ts';
import { batchPrice, type ModelPrice } from '../pricing/model-price.ts';
import { priceUsage } from '../pricing/price.ts';
import { type ProviderCost, providerCost } from '../pricing/provider-cost.ts';
import { storedLines } from '../pricing/stored-details.ts';
import type { Batch } from './batches.store.ts';
import {
  type LinePrice,
  listUnpricedLines,
  type UnpricedLine,
  writeLinePrices,
} from './unpriced-lines.store.ts';

const PAGE_LINES = 500;

export interface PricedBatch {
  /** Its submission decides which prices apply if they have dates. */
  readonly batch: Pick<Batch, 'id' | 'createdAt' | 'provider'>;
  readonly caller: PricedCaller;
  readonly model: Model;
}

export async function priceLines(priced: PricedBatch, db: Database): Promise<void> {
  const { batch, caller, model } = priced;
  const price = batchPrice(chargedPrice(model, caller, batch.createdAt));
  const unbilled = model.routes.some(({ billing }) => billing !== undefined);
  let after = 0;
  for (;;) {
    const page = await listUnpricedLines(db, batch.id, { after, linesMax: PAGE_LINES, unbilled });
    const prices = page
      .map((line) => priceOf(line, price, priced))
      .filter((one) => one.charge !== null || one.providerCost !== null);
    if (prices.length > 0) {
      await writeLinePrices(db, batch.id, { prices, priceVersion: model.priceVersion });
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_LINES) return;
    after = last.line;
  }
}

function priceOf(line: UnpricedLine, price: ModelPrice | null, priced: PricedBatch): LinePrice {
  const { usage } = line;
  const charge = usage === null || line.isPriced ? null : priceUsage(usage, price);
  return {
    line: line.line,
    charge: charge && { total: charge.total, lines: storedLines(charge) },
    providerCost: line.isBilled ? null : billOf(line, priced),
  };
}

/** For the provider, a line is part of a batch only if the provider runs the batch. */
function billOf(line: UnpricedLine, { batch, model }: PricedBatch): ProviderCost | null {
  const { usage, provider, upstreamModel } = line;
  const route = model.routes.find((one) => one.provider === provider && one.upstreamModel === upstreamModel);
  const isProviderRun = batch.provider !== null;
  const startedAt = isProviderRun ? batch.createdAt : line.startedAt;
  return providerCost(route?.billing, usage, { startedAt, batch: isProviderRun });
}
