/** The prices of a model as a flat list, so that two ways of writing the same prices are equal. Pure. */
import { type Instant, isoOf } from '../kernel/time.ts';
import { printUnits, type Units } from '../kernel/units.ts';
import {
  batchPrice,
  type ModelPrice,
  type PriceList,
  type PriceRule,
  priceInHoursOf,
  priceOn,
  type TokenPrices,
} from '../pricing/model-price.ts';
import { resolvePrices } from '../pricing/resolve-prices.ts';
import { conditionsText } from './sources/build-entry.ts';

/** Amounts by what they are for, such as `batch: input`. */
export type PriceFacts = ReadonlyMap<string, string>;

/** What applies now, and with its date what is to apply later. */
export function factsAt(prices: PriceList, now: Instant): PriceFacts {
  const current = priceOn(prices, now);
  const facts = new Map(current === null ? [] : factsOfPrice(current));
  for (const { from, price } of prices) {
    if (from === null || from <= now) continue;
    for (const [what, amount] of factsOfPrice(price))
      facts.set(`from ${isoOf(from).replace('.000Z', 'Z')}, ${what}`, amount);
  }
  return facts;
}

export function factsOfPrice(price: ModelPrice): Map<string, string> {
  const facts = new Map<string, string>();
  const add = (prefix: string, amounts: Iterable<readonly [string, Units | undefined]>): void => {
    for (const [name, units] of amounts)
      if (units !== undefined) facts.set(`${prefix}${name}`, printUnits(units));
  };
  add('', Object.entries(price.tokens));
  add('', [['request', price.request]]);
  add('tool.', price.tools ?? []);
  add('image.', price.images ?? []);
  add('second.', price.seconds ?? []);
  for (const rule of price.rules) {
    const prefix = `${ruleText(rule)}: `;
    add(prefix, Object.entries(pricesUnder(rule, price)));
    add(prefix, [['request', rule.request]]);
    add(`${prefix}tool.`, rule.tools ?? []);
  }
  return facts;
}

export function ruleText({ contextAbove, marginal, tier, geo, batch, hours }: PriceRule): string {
  const text = conditionsText({
    ...(contextAbove !== undefined && { context_above: contextAbove }),
    ...(tier !== undefined && { tier }),
    ...(geo !== undefined && { geo }),
    ...(batch && { batch }),
    ...(hours !== undefined && { hours: hours.written }),
  });
  return marginal ? `${text} (only tokens above)` : text;
}

/** The prices that the rule changes, for a call that meets its conditions and no others. */
function pricesUnder(rule: PriceRule, price: ModelPrice): TokenPrices {
  const { contextAbove, tier = null, geo = null, marginal } = rule;
  const contextTokens = contextAbove === undefined ? 0 : contextAbove + 1;
  const then = priceInHoursOf(price, rule);
  const resolved = resolvePrices(rule.batch ? batchPrice(then) : then, { contextTokens, tier, geo });
  const tokens = (marginal ? resolved?.steps.at(-1) : resolved?.steps[0])?.tokens ?? {};
  const changed = new Set([...Object.keys(rule.amounts ?? {}), ...changedByFactors(rule, price)]);
  return Object.fromEntries(Object.entries(tokens).filter(([component]) => changed.has(component)));
}

function changedByFactors({ factor, factors = {}, exclusive }: PriceRule, price: ModelPrice): string[] {
  if (exclusive) return [];
  const named = Object.keys(price.tokens);
  if (factor !== undefined) return named;
  const writes =
    factors.cache_write === undefined ? [] : named.filter((one) => one.startsWith('cache_write'));
  return [...Object.keys(factors).filter((one) => named.includes(one)), ...writes];
}
