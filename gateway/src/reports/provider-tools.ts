/** What of a provider's bill is for hosted tools, by day and model: the part that exports list as fees without a model. */

import type { Queryable } from '../database/database.ts';
import { DAY_MS } from '../kernel/durations.ts';
import type { Instant } from '../kernel/time.ts';
import { addUnits, multiplyUnits, printUnits, type Units, ZERO } from '../kernel/units.ts';
import type { PriceEntries } from '../price-sheets/price-entry.ts';
import { readPrices } from '../price-sheets/read-prices.ts';
import { type PriceList, priceAt } from '../pricing/model-price.ts';
import { resolvePrices } from '../pricing/resolve-prices.ts';
import { CALL_MS_MAX, readProviderSheets, readToolCalls, type ToolCallsRow } from './provider-tools.store.ts';
import type { ProviderPeriod } from './provider-work.store.ts';

export interface ProviderToolCost {
  readonly day: string;
  readonly model: string;
  readonly currency: string;
  /** The kind, such as `web_search`. */
  readonly tool: string;
  readonly requests: number;
  readonly calls: number;
  /** A decimal string. */
  readonly cost: string;
}

const PER_THOUSAND = 1_000;

/** In the order of days, models and tools. */
export async function readToolCosts(db: Queryable, period: ProviderPeriod): Promise<ProviderToolCost[]> {
  const sheets = new Map<string, PriceList>();
  for (const { version, model, prices } of await readProviderSheets(db, period.provider))
    sheets.set(sheetName(version, model), readPrices(prices as PriceEntries));
  const steps = stepsOf([...sheets.values()], period);
  const rows = await readToolCalls(db, period, steps);
  const sums = new Map<string, Omit<ProviderToolCost, 'cost'> & { cost: Units }>();
  for (const row of rows) {
    const { day, model, currency, tool, requests, calls } = row;
    const each = toolPrice(sheets.get(sheetName(row.version, model)) ?? [], row, steps);
    if (each === undefined) continue;
    const key = JSON.stringify([day, model, currency, tool]);
    const sum = sums.get(key) ?? { day, model, currency, tool, requests: 0, calls: 0, cost: ZERO };
    sums.set(key, {
      day,
      model,
      currency,
      tool,
      requests: sum.requests + requests,
      calls: sum.calls + calls,
      cost: addUnits(sum.cost, multiplyUnits(each, { count: calls, per: PER_THOUSAND })),
    });
  }
  return [...sums.values()].map((sum) => ({ ...sum, cost: printUnits(sum.cost) }));
}

function sheetName(version: string, model: string): string {
  return JSON.stringify([version, model]);
}

/** Where prices of tools may change: moments, and lengths of the prompt. In ascending order. */
interface PriceSteps {
  readonly moments: readonly Instant[];
  readonly lengths: readonly number[];
}

function stepsOf(lists: readonly PriceList[], { from, until }: ProviderPeriod): PriceSteps {
  const moments = new Set<Instant>();
  const lengths = new Set<number>();
  const first = Math.floor((from - CALL_MS_MAX) / DAY_MS) * DAY_MS;
  for (const { from: date, price } of lists.flat()) {
    if (date !== null) moments.add(date);
    for (const { tools, contextAbove, hours } of price.rules) {
      if (tools === undefined) continue;
      if (contextAbove !== undefined) lengths.add(contextAbove + 1);
      if (hours === undefined) continue;
      for (let day = first; day < until; day += DAY_MS)
        moments
          .add(day)
          .add(day + hours.fromMs)
          .add(day + hours.toMs);
    }
  }
  const sorted = (values: ReadonlySet<number>): number[] => [...values].sort((a, b) => a - b);
  return { moments: sorted(moments), lengths: sorted(lengths) };
}

/** Undefined for a kind that is counted, but charged as another one. */
function toolPrice(
  prices: PriceList,
  { moment, length, tier, geo, tool }: ToolCallsRow,
  { moments, lengths }: PriceSteps,
): Units | undefined {
  const startedAt = moments[moment - 1] ?? (moments[0] ?? 0) - 1;
  const price = priceAt(prices, startedAt);
  const contextTokens = lengths[length - 1] ?? 0;
  return price === null ? undefined : resolvePrices(price, { contextTokens, tier, geo })?.tools.get(tool);
}
