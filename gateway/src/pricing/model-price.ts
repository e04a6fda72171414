/** The prices of one model as a price sheet has them: amounts, special prices, and from when they apply. */
import type { TokenComponent } from '../contract/price-components.ts';
import type { Instant } from '../kernel/time.ts';
import type { Units } from '../kernel/units.ts';

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
  for (let i = prices.length - 1; i >= 0; i--) {
    const { from, price } = prices[i] as DatedPrice;
    if (from === null || from <= startedAt) return price;
  }
  return null;
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
