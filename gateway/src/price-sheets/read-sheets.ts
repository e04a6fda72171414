/** Builds both sides of prices from the checked file: what is charged, and what providers charge. Pure. */
import { parseUnits } from '../kernel/units.ts';
import { type MarkupRule, multiplied } from '../pricing/markup.ts';
import type { PriceList } from '../pricing/model-price.ts';
import type { ProviderPrices } from '../pricing/provider-cost.ts';
import {
  type MarkupEntry,
  type PricedFile,
  type PriceEntries,
  type PriceEntry,
  type PriceSheetEntry,
  UNITS_PER_CURRENCY,
} from './price-entry.ts';
import { chargedEntries, readPrices } from './read-prices.ts';

/** The prices of a version as written, with the markup. A version may get new models, but its prices never change. */
export interface PriceSheet {
  readonly version: string;
  /** What decides on the price of each model. */
  readonly models: Readonly<Record<string, unknown>>;
}

export interface PriceSheets {
  /** By model code. */
  readonly prices: ReadonlyMap<string, PriceList>;
  /** By model code; only models that have some. In the order of their precedence. */
  readonly markups: ReadonlyMap<string, readonly MarkupRule[]>;
  /** By `<provider>/<upstream model>`. */
  readonly billing: ReadonlyMap<string, ProviderPrices>;
  /** Stored under their versions. */
  readonly charged: PriceSheet;
  readonly billed: PriceSheet | null;
  readonly unitsPerCurrency: string | null;
}

const NO_PRICES: PriceSheetEntry = { version: 'none', models: {} };

export function readSheets(file: PricedFile): PriceSheets {
  const sheet = file.prices ?? NO_PRICES;
  const billing = readBilling(file);
  const codes = Object.keys(file.models);
  const rules = new Map(codes.map((code) => [code, rulesFor(code, sheet.markup ?? [])]));
  return {
    prices: new Map(codes.map((code) => [code, pricesOf(code, { file, sheet, billing })])),
    markups: new Map(
      [...rules].filter(([, found]) => found.length > 0).map(([code, found]) => [code, found.map(readRule)]),
    ),
    billing,
    charged: {
      version: sheet.version,
      models: Object.fromEntries(
        Object.entries(chargedEntries(sheet.models)).map(([code, entries]) => [
          code,
          storedEntry(entries, rules.get(code) ?? [], { file, sheet }),
        ]),
      ),
    },
    billed:
      file.provider_prices === undefined
        ? null
        : { ...file.provider_prices, models: chargedEntries(file.provider_prices.models) },
    unitsPerCurrency:
      file.provider_prices === undefined ? null : (sheet.units_per_currency ?? UNITS_PER_CURRENCY),
  };
}

/** The most specific rule first: key, then space and model, space, model, all. */
function rulesFor(code: string, markup: readonly MarkupEntry[]): MarkupEntry[] {
  return markup
    .filter(({ model }) => model === undefined || model === code)
    .toSorted((a, b) => specificity(b) - specificity(a));
}

function specificity({ key, space, model }: MarkupEntry): number {
  return (key === undefined ? 0 : 4) + (space === undefined ? 0 : 2) + (model === undefined ? 0 : 1);
}

function readRule({ factor, space, key }: MarkupEntry): MarkupRule {
  return {
    factor: parseUnits(factor),
    ...(space !== undefined && { space }),
    ...(key !== undefined && { key }),
  };
}

function readBilling({ provider_prices: sheet }: PricedFile): Map<string, ProviderPrices> {
  if (sheet === undefined) return new Map();
  const { version, currency } = sheet;
  return new Map(
    Object.entries(sheet.models).map(([name, entries]) => [
      name,
      { prices: readPrices(entries), currency, version },
    ]),
  );
}

interface Sides {
  readonly file: PricedFile;
  readonly sheet: PriceSheetEntry;
  readonly billing: ReadonlyMap<string, ProviderPrices>;
}

function pricesOf(code: string, { file, sheet, billing }: Sides): PriceList {
  const entries = sheet.models[code];
  if (!isFromProvider(entries)) return readPrices(entries);
  const factor = parseUnits(sheet.units_per_currency ?? UNITS_PER_CURRENCY);
  // Every route has the same prices: check-both-sides.ts.
  const [route] = file.models[code]?.routes ?? [];
  const prices = billing.get(`${route?.provider}/${route?.model}`)?.prices ?? [];
  return prices.map(({ from, price }) => ({ from, price: multiplied(price, factor) }));
}

/** With everything that decides on the price, so that a version never changes its meaning. */
function storedEntry(
  entries: PriceEntries,
  markup: readonly MarkupEntry[],
  { file, sheet }: Pick<Sides, 'file' | 'sheet'>,
): unknown {
  const provided = isFromProvider(entries);
  if (!provided && markup.length === 0) return entries;
  return {
    prices: entries,
    markup,
    ...(provided && {
      units_per_currency: sheet.units_per_currency ?? UNITS_PER_CURRENCY,
      provider_version: file.provider_prices?.version,
    }),
  };
}

export function isFromProvider(entries: PriceEntries | undefined): boolean {
  return entries !== undefined && !Array.isArray(entries) && (entries as PriceEntry).from_provider === true;
}
