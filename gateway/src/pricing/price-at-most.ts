/**
 * The highest amount that usage within given counts can cost: all tokens at the highest price that any of them can have, in
 * the most expensive tier, region and length of the context that the call may be served with. Pure.
 */
import { inputComponents, outputComponents, type TokenComponent } from '../contract/price-components.ts';
import { addUnits, multiplyUnits, type Units, ZERO } from '../kernel/units.ts';
import { chargedAmount } from './markup.ts';
import type { ModelPrice, ToolPrices } from './model-price.ts';
import { type ImageKind, imagePrice, PER_MILLION, PER_THOUSAND } from './price.ts';
import { type ResolvedPrices, resolvePrices } from './resolve-prices.ts';

/** How a provider may serve a call. It may always serve it in no tier and in no region. */
export interface MayServe {
  /** By name. */
  readonly tiers: readonly string[];
  /** Also every other tier of the sheet, except those of a speed. */
  readonly anyTier: boolean;
  /** Also those of a speed. */
  readonly fast: boolean;
  readonly geos: readonly string[];
  readonly anyGeo: boolean;
}

/** For endpoints whose requests name neither a tier nor a region. */
export const SERVED_ANYWHERE: MayServe = { tiers: [], anyTier: true, fast: false, geos: [], anyGeo: true };

/** What a call can use at most. */
export interface CountsAtMost {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly images?: number;
  /** The kind of these images; null, or without a size or a quality: the provider chooses. */
  readonly image?: ImageKind | null;
  /** Calls of tools that the provider runs, by kind. */
  readonly tools?: Readonly<Record<string, number>>;
}

/** The highest price of each part. */
export interface HighestPrices {
  /** Per million tokens. */
  readonly input: Units;
  readonly output: Units;
  readonly request: Units;
  /** Per thousand calls. */
  readonly tools: ToolPrices;
  /** What the lines for tokens can gain by being rounded one by one; 0 if they never are. */
  readonly rounding: Units;
}

export function priceAtMost(price: ModelPrice, counts: CountsAtMost, serve: MayServe): Units {
  const prices = highestPrices(price, counts.inputTokens, serve);
  const tokens = tokensAtMost(prices, counts);
  const images = imagesAtMost(price, counts);
  // Images are charged by their tokens or by their number, never both.
  return addUnits(tokens > images ? tokens : images, restAtMost(prices, counts));
}

/** What a call costs at most besides its tokens, if it makes no images. */
export function restAtMost(prices: HighestPrices, counts: CountsAtMost): Units {
  return addUnits(prices.request, toolsAtMost(prices, counts));
}

function tokensAtMost({ input, output, rounding }: HighestPrices, counts: CountsAtMost): Units {
  const { inputTokens, outputTokens } = counts;
  const product = input * BigInt(inputTokens) + output * BigInt(outputTokens);
  return product === 0n ? ZERO : addUnits(roundedUp(product, PER_MILLION), rounding);
}

function imagesAtMost(price: ModelPrice, { images = 0, image = null }: CountsAtMost): Units {
  if (images === 0 || price.images === undefined) return ZERO;
  const asked = image?.size && image.quality ? imagePrice(price, image) : undefined;
  let each = ZERO;
  if (asked === undefined) for (const amount of price.images.values()) if (amount > each) each = amount;
  return multiplyUnits(asked ?? chargedAmount(price, each), { count: images, per: 1 });
}

function toolsAtMost({ tools }: HighestPrices, { tools: calls = {} }: CountsAtMost): Units {
  let total = ZERO;
  for (const [kind, count] of Object.entries(calls))
    total = addUnits(total, roundedUp((tools.get(kind) ?? ZERO) * BigInt(count), PER_THOUSAND));
  return total;
}

interface Cached {
  /** The lengths at which other rules begin to fit. */
  readonly thresholds: readonly number[];
  readonly tiers: readonly string[];
  readonly geos: readonly string[];
  /** By the number of thresholds that the context may exceed and the names that may be served. */
  readonly prices: Map<string, HighestPrices>;
}

const cache = new WeakMap<ModelPrice, Cached>();

/** `contextTokens`: the longest that the context can be. Each combination is found once. */
export function highestPrices(price: ModelPrice, contextTokens: number, serve: MayServe): HighestPrices {
  let cached = cache.get(price);
  if (cached === undefined) {
    cached = namesOf(price);
    cache.set(price, cached);
  }
  const lengths = [
    0,
    ...cached.thresholds.filter((above) => contextTokens > above).map((above) => above + 1),
  ];
  // The tier of an answer says nothing in a batch.
  const tiers = price.batch ? [] : cached.tiers.filter((tier) => mayHaveTier(tier, serve));
  const geos = cached.geos.filter((geo) => serve.anyGeo || serve.geos.includes(geo));
  const key = `${lengths.length} ${tiers.join(',')} ${geos.join(',')}`;
  let found = cached.prices.get(key);
  if (found === undefined) {
    found = highest(price, { lengths, tiers, geos });
    cached.prices.set(key, found);
  }
  return found;
}

function namesOf({ rules }: ModelPrice): Cached {
  const distinct = <Name>(names: Name[]): Name[] => [...new Set(names)];
  return {
    thresholds: distinct(rules.flatMap(({ contextAbove }) => contextAbove ?? [])).sort((a, b) => a - b),
    tiers: distinct(rules.flatMap(({ tier }) => tier ?? [])),
    geos: distinct(rules.flatMap(({ geo }) => geo ?? [])),
    prices: new Map(),
  };
}

/** Anthropic's fast mode is used only if it is asked for; together with a tier it is a tier of its own. */
const FAST = /(^|_)fast$/;

function mayHaveTier(tier: string, { tiers, anyTier, fast }: MayServe): boolean {
  return tiers.includes(tier) || (anyTier && (fast || !FAST.test(tier)));
}

function highest(
  price: ModelPrice,
  of: { lengths: readonly number[]; tiers: readonly string[]; geos: readonly string[] },
): HighestPrices {
  const found = new PriceMaxima();
  for (const contextTokens of of.lengths)
    for (const tier of [null, ...of.tiers])
      for (const geo of [null, ...of.geos]) {
        const resolved = resolvePrices(price, { contextTokens, tier, geo });
        // Without a price of its own it counts as if served in no tier and no region.
        if (resolved !== null) found.add(resolved);
      }
  return found.prices();
}

class PriceMaxima {
  #input = ZERO;
  #output = ZERO;
  #request = ZERO;
  readonly #tools = new Map<string, Units>();
  #steps = 1;
  #isExact = true;

  add({ steps, tools, request }: ResolvedPrices): void {
    for (const { tokens } of steps) {
      this.#input = this.#highest(tokens, inputComponents, this.#input);
      this.#output = this.#highest(tokens, outputComponents, this.#output);
    }
    this.#steps = Math.max(this.#steps, steps.length);
    if (request !== null && request > this.#request) this.#request = request;
    for (const [kind, each] of tools) if (each > (this.#tools.get(kind) ?? ZERO)) this.#tools.set(kind, each);
  }

  #highest(
    tokens: Partial<Record<TokenComponent, Units>>,
    of: readonly TokenComponent[],
    before: Units,
  ): Units {
    let most = before;
    for (const component of of) {
      const each = tokens[component];
      if (each === undefined) continue;
      if (each > most) most = each;
      if (each % BigInt(PER_MILLION) !== 0n) this.#isExact = false;
    }
    return most;
  }

  prices(): HighestPrices {
    // Each line gains at most a half of the smallest amount.
    const lines = inputComponents.length * this.#steps + outputComponents.length;
    const rounding = (this.#isExact ? ZERO : BigInt(Math.ceil(lines / 2))) as Units;
    const [input, output, request] = [this.#input, this.#output, this.#request];
    return { input, output, request, tools: this.#tools, rounding };
  }
}

function roundedUp(product: bigint, per: number): Units {
  const divisor = BigInt(per);
  return ((product + divisor - 1n) / divisor) as Units;
}
