/**
 * Turns the prices of a model and the conditions of a call into plain prices: applies the rules that fit, and fills in
 * what stands in for missing prices. Each combination is resolved once.
 */
import { inputComponents, type TokenComponent, tokenComponents } from '../contract/price-components.ts';
import { scaleUnits, type Units } from '../kernel/units.ts';
import { chargedAmount } from './markup.ts';
import type { ModelPrice, PriceRule, TokenPrices, ToolPrices } from './model-price.ts';

/** The conditions that a rule can name. */
export interface CallConditions {
  readonly contextTokens: number;
  readonly tier: string | null;
  readonly geo: string | null;
}

export interface ResolvedPrices {
  /** Prices for the tokens above a position of the context. The first is 0; there are more only with marginal rules. */
  readonly steps: readonly PriceStep[];
  readonly tools: ToolPrices;
  readonly request: Units | null;
}

export interface PriceStep {
  readonly above: number;
  readonly tokens: TokenPrices;
}

interface Cached {
  /** The lengths at which other rules begin to fit. */
  readonly thresholds: readonly number[];
  /** By the number of thresholds that a call without a tier or a geo exceeds. */
  readonly plain: Array<ResolvedPrices | null | undefined>;
  readonly others: Map<string, ResolvedPrices | null>;
}

const cache = new WeakMap<ModelPrice, Cached>();

/** Null if no rule has a price for the tier, the geo or the batch. */
export function resolvePrices(price: ModelPrice, call: CallConditions): ResolvedPrices | null {
  let cached = cache.get(price);
  if (cached === undefined) {
    cached = { thresholds: thresholdsOf(price), plain: [], others: new Map() };
    cache.set(price, cached);
  }
  const exceeded = countBelow(cached.thresholds, call.contextTokens);
  if (call.tier === null && call.geo === null) {
    const plain = cached.plain[exceeded];
    if (plain !== undefined) return plain;
    const resolved = resolve(price, call);
    cached.plain[exceeded] = resolved;
    return resolved;
  }
  if (!named(price, call)) return null;
  const key = `${exceeded} ${call.tier ?? ''} ${call.geo ?? ''}`;
  const known = cached.others.get(key);
  if (known !== undefined) return known;
  const resolved = resolve(price, call);
  cached.others.set(key, resolved);
  return resolved;
}

function thresholdsOf({ rules }: ModelPrice): number[] {
  const lengths = rules.flatMap(({ contextAbove }) => contextAbove ?? []);
  return [...new Set(lengths)].sort((a, b) => a - b);
}

function countBelow(thresholds: readonly number[], tokens: number): number {
  let count = 0;
  while (count < thresholds.length && tokens > (thresholds[count] as number)) count++;
  return count;
}

/** False for conditions that no rule has, so that names from providers do not fill the cache. */
function named({ rules }: ModelPrice, { tier, geo }: CallConditions): boolean {
  return (
    (tier === null || rules.some((rule) => rule.tier === tier)) &&
    (geo === null || rules.some((rule) => rule.geo === geo))
  );
}

function resolve(price: ModelPrice, call: CallConditions): ResolvedPrices | null {
  const rules = price.rules.filter((rule) => fits(rule, call, price));
  const covered =
    (call.tier === null || rules.some(({ tier }) => tier !== undefined)) &&
    (call.geo === null || rules.some(({ geo }) => geo !== undefined)) &&
    (!price.batch || rules.some(({ batch }) => batch === true));
  if (!covered) return null;
  const starts = [0, ...rules.flatMap((rule) => (rule.marginal ? (rule.contextAbove ?? []) : []))];
  const steps = [...new Set(starts)]
    .sort((a, b) => a - b)
    .map((above) => ({ above, tokens: standIns(tokenPrices(price, rules, above)) }));
  const tools = [...(price.tools ?? []), ...rules.flatMap((rule) => [...(rule.tools ?? [])])];
  const request = rules.reduce<Units | null>((so, rule) => rule.request ?? so, price.request ?? null);
  return {
    steps,
    tools: new Map(tools.map(([kind, amount]) => [kind, chargedAmount(price, amount)])),
    request: request === null ? null : chargedAmount(price, request),
  };
}

function fits(rule: PriceRule, call: CallConditions, { batch = false, open }: ModelPrice): boolean {
  return (
    (rule.contextAbove === undefined || call.contextTokens > rule.contextAbove) &&
    (rule.tier === undefined || rule.tier === call.tier) &&
    (rule.geo === undefined || rule.geo === call.geo) &&
    (rule.batch === undefined || rule.batch === batch) &&
    (rule.hours === undefined || open?.has(rule) === true)
  );
}

/** A price and its factors, which are multiplied and rounded once. */
interface Product {
  readonly amount: Units;
  readonly factors: readonly Units[];
}

function tokenPrices(
  { tokens: base, factors: ofAll = [] }: ModelPrice,
  rules: readonly PriceRule[],
  above: number,
): TokenPrices {
  const products = new Map<TokenComponent, Product>();
  for (const component of tokenComponents) {
    const amount = base[component];
    if (amount !== undefined) products.set(component, { amount, factors: [] });
  }
  for (const rule of rules) {
    if (rule.marginal && above < (rule.contextAbove ?? 0)) continue;
    if (rule.exclusive) products.clear();
    for (const component of rule.marginal ? inputComponents : tokenComponents) {
      const changed = changedBy(rule, component, products.get(component));
      if (changed !== undefined) products.set(component, changed);
    }
  }
  return Object.fromEntries(
    [...products].map(([component, { amount, factors }]) => [
      component,
      scaleUnits(amount, [...factors, ...ofAll]),
    ]),
  );
}

function changedBy(
  rule: PriceRule,
  component: TokenComponent,
  before: Product | undefined,
): Product | undefined {
  const amount = rule.amounts?.[component];
  if (amount !== undefined) return { amount, factors: [] };
  if (before === undefined || rule.same?.has(component)) return before;
  const factor = factorOf(rule, component);
  return factor === undefined ? before : { ...before, factors: [...before.factors, factor] };
}

/** A factor for `cache_write` holds for its lifetimes too, unless they have their own. */
function factorOf({ factor, factors }: PriceRule, component: TokenComponent): Units | undefined {
  const own = factors?.[component];
  if (own !== undefined) return own;
  const write = component.startsWith('cache_write_') ? factors?.cache_write : undefined;
  return write ?? factor;
}

/**
 * What missing prices are: those of the nearest kind of token. Audio has none, so that it is never too cheap. Image
 * tokens in the output and lifetimes of writes without a price are counted as `output` and `cache_write` (`split-tokens.ts`).
 */
function standIns(prices: TokenPrices): TokenPrices {
  const { input, output, cached_input = input } = prices;
  const byLifetime = Object.keys(prices).some((component) => component.startsWith('cache_write_'));
  const filled: Record<string, Units | undefined> = {
    cached_input,
    image_input: input,
    cached_image_input: cached_input,
    cache_write: byLifetime ? undefined : input,
    reasoning: output,
  };
  for (const [component, units] of Object.entries(filled)) if (units === undefined) delete filled[component];
  return { ...filled, ...prices };
}
