/** The prices of one model as a price sheet has them: amounts, special prices, and from when they apply. */
import type { TokenComponent } from '../contract/price-components.ts';
import type { Instant } from '../kernel/time.ts';
import type { Units } from '../kernel/units.ts';
import { isWithin, type PriceHours } from './price-hours.ts';

/** Units per million tokens. */
export type TokenPrices = Readonly<Partial<Record<TokenComponent, Units>>>;

/** Units per thousand calls of a tool, by its kind. */
export type ToolPrices = ReadonlyMap<string, Units>;

export interface ModelPrice {
  readonly tokens: TokenPrices;
  /** Units per call. */
  readonly request?: Units;
  readonly tools?: ToolPrices;
  /** Units per image, by `size/quality`, `size`, `quality` or `default`. */
  readonly images?: ReadonlyMap<string, Units>;
  /** Units per second of video, by resolution or `default`. */
  readonly seconds?: ReadonlyMap<string, Units>;
  /** Special prices. Every rule that fits a call applies, in this order. */
  readonly rules: readonly PriceRule[];
  /** True: some rules have hours, and the moment that counts is not chosen yet (`priceAt`). */
  readonly byHours?: boolean;
  /** The rules with hours that apply; without it, none of them. */
  readonly open?: ReadonlySet<PriceRule>;
  /** True: the prices for lines of a batch (`batchPrice`). */
  readonly batch?: boolean;
  /** Every price is multiplied by them (markup, units per currency); rounded once, with the factors of rules. */
  readonly factors?: readonly Units[];
}

/** A special price and when it applies: all conditions have to be met. */
export interface PriceRule {
  /** Only calls with a longer context. */
  readonly contextAbove?: number;
  /** With `contextAbove`: only the input tokens above it, not the whole call. */
  readonly marginal?: boolean;
  readonly tier?: string;
  readonly geo?: string;
  readonly batch?: boolean;
  /** Only calls that start in these hours. */
  readonly hours?: PriceHours;
  /** Multiplies every token price that the rule does not name. */
  readonly factor?: Units;
  readonly factors?: TokenPrices;
  /** Replace the prices. */
  readonly amounts?: TokenPrices;
  /** Components that `factor` does not change. */
  readonly same?: ReadonlySet<TokenComponent>;
  readonly tools?: ToolPrices;
  readonly request?: Units;
  /** True: token prices that the rule does not name do not exist (`batch_input` and `batch_output`). */
  readonly exclusive?: boolean;
}

/** Prices for calls that start at `from` or later; null: from the beginning. */
export interface DatedPrice {
  readonly from: Instant | null;
  readonly price: ModelPrice;
}

/** In the order of their dates. Empty: the model has no price. */
export type PriceList = readonly DatedPrice[];

/** The price for a call that started at `startedAt`; null if there is none. */
export function priceAt(prices: PriceList, startedAt: Instant): ModelPrice | null {
  const price = priceOn(prices, startedAt);
  return price && priceInHours(price, startedAt);
}

/** As above, without the special prices of the time of day. */
export function priceOn(prices: PriceList, at: Instant): ModelPrice | null {
  for (let i = prices.length - 1; i >= 0; i--) {
    const { from, price } = prices[i] as DatedPrice;
    if (from === null || from <= at) return price;
  }
  return null;
}

const openPrices = new WeakMap<ModelPrice, Map<string, ModelPrice>>();

/**
 * The prices for a call that starts at this moment, and for nothing else: another moment does not change them any more.
 * The same object each time, so that resolved prices stay cached.
 */
export function priceInHours(price: ModelPrice, at: Instant): ModelPrice {
  if (!price.byHours) return price;
  return withOpen(
    price,
    price.rules.filter(({ hours }) => hours !== undefined && isWithin(hours, at)),
  );
}

/** The prices for a call that meets the hours of this rule, and no others. */
export function priceInHoursOf(price: ModelPrice, rule: PriceRule): ModelPrice {
  return rule.hours === undefined ? price : withOpen(price, [rule]);
}

function withOpen(price: ModelPrice, open: readonly PriceRule[]): ModelPrice {
  let variants = openPrices.get(price);
  if (variants === undefined) {
    variants = new Map();
    openPrices.set(price, variants);
  }
  const key = open.map((rule) => price.rules.indexOf(rule)).join(' ');
  let found = variants.get(key);
  if (found === undefined) {
    const { byHours: _, ...chosen } = price;
    found = { ...chosen, open: new Set(open) };
    variants.set(key, found);
  }
  return found;
}

const batchPrices = new WeakMap<ModelPrice, ModelPrice>();

/** The prices for lines of a batch. Null when the model has no prices. */
export function batchPrice(price: ModelPrice): ModelPrice;
export function batchPrice(price: ModelPrice | null): ModelPrice | null;
export function batchPrice(price: ModelPrice | null): ModelPrice | null {
  if (price === null || price.batch === true) return price;
  let found = batchPrices.get(price);
  if (found === undefined) {
    found = { ...price, batch: true };
    batchPrices.set(price, found);
  }
  return found;
}
