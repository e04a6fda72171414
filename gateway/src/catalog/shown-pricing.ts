/** The prices that are charged, as `GET /v1/models` shows them. Pure. */
import type { ImagePrice, ModelPricing, PricingRule, SecondPrice } from '../contract/models.ts';
import { inputComponents } from '../contract/price-components.ts';
import { type Instant, isoOf } from '../kernel/time.ts';
import { printUnits, type Units } from '../kernel/units.ts';
import { chargedAmount, type PricedCaller } from '../pricing/markup.ts';
import {
  batchPrice,
  type ModelPrice,
  type PriceRule,
  priceInHoursOf,
  type TokenPrices,
} from '../pricing/model-price.ts';
import { imagePrice, secondPrice } from '../pricing/price.ts';
import { resolvePrices } from '../pricing/resolve-prices.ts';
import { listedPrice } from './charged-price.ts';
import type { ImageOptions, Model } from './model.ts';

/** `now`: prices may have dates. */
export function shownPricing(
  model: Pick<Model, 'prices' | 'markups' | 'image'>,
  caller: PricedCaller,
  now: Instant,
): ModelPricing | null {
  const { prices, image } = model;
  const price = listedPrice(model, caller, now);
  if (price === null) return null;
  const until = prices.find(({ from }) => from !== null && from > now)?.from ?? null;
  const batch = tokensFor(batchPrice(price), {});
  const others = shownAmounts({
    request: price.request === undefined ? undefined : chargedAmount(price, price.request),
    batch_input: batch?.input,
    batch_output: batch?.output,
    per_image: defaultImagePrice(price, image),
    per_second: secondPrice(price, null),
  });
  const rules = price.rules.filter(({ exclusive }) => !exclusive);
  return {
    currency: 'unit',
    per: perOf(price),
    ...shownAmounts(chargedAmounts(price, price.tokens)),
    ...others,
    ...(price.tools !== undefined && {
      tools: shownAmounts(chargedAmounts(price, Object.fromEntries(price.tools))),
    }),
    ...(price.images !== undefined && price.images.size > 1 && { image_prices: imagePrices(price, image) }),
    ...(price.seconds !== undefined && price.seconds.size > 1 && { second_prices: secondPrices(price) }),
    ...(rules.length > 0 && { rules: rules.map((rule) => shownRule(rule, price)) }),
    ...(until !== null && { valid_until: isoOf(until) }),
  };
}

function chargedAmounts(price: ModelPrice, amounts: Readonly<Record<string, Units>>): Record<string, Units> {
  return Object.fromEntries(
    Object.entries(amounts).map(([name, units]) => [name, chargedAmount(price, units)]),
  );
}

/** Units by name; without those that do not exist. */
function shownAmounts(amounts: Readonly<Record<string, Units | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(amounts).flatMap(([name, units]) =>
      units === undefined ? [] : [[name, printUnits(units)]],
    ),
  );
}

function shownRule(rule: PriceRule, price: ModelPrice): PricingRule {
  const { contextAbove, marginal, tier, geo, batch, hours, factor, factors, request, tools } = rule;
  return {
    ...(contextAbove !== undefined && { context_above: contextAbove }),
    ...(marginal && { marginal }),
    ...(tier !== undefined && { tier }),
    ...(geo !== undefined && { geo }),
    ...(batch !== undefined && { batch }),
    ...(hours !== undefined && { hours: hours.written }),
    ...(factor !== undefined && { factor: printUnits(factor) }),
    ...(factors !== undefined && { factors: shownAmounts(factors) }),
    prices: shownAmounts(pricesUnder(rule, price)),
    ...(request !== undefined && { request: printUnits(chargedAmount(price, request)) }),
    ...(tools !== undefined && { tools: shownAmounts(chargedAmounts(price, Object.fromEntries(tools))) }),
  };
}

/** The prices of a call that meets the conditions of the rule and no others; those that the sheet can tell apart. */
function pricesUnder(rule: PriceRule, price: ModelPrice): TokenPrices {
  const then = priceInHoursOf(price, rule);
  const tokens = tokensFor(rule.batch ? batchPrice(then) : then, rule) ?? {};
  const named = Object.keys({ ...price.tokens, ...rule.amounts });
  const shown = rule.marginal ? named.filter((name) => isInput(name)) : named;
  return Object.fromEntries(Object.entries(tokens).filter(([name]) => shown.includes(name)));
}

function isInput(name: string): boolean {
  return inputComponents.some((component) => component === name);
}

function tokensFor(price: ModelPrice, { contextAbove, tier, geo, marginal }: PriceRule): TokenPrices | null {
  const contextTokens = contextAbove === undefined ? 0 : contextAbove + 1;
  const resolved = resolvePrices(price, { contextTokens, tier: tier ?? null, geo: geo ?? null });
  return (marginal ? resolved?.steps.at(-1) : resolved?.steps[0])?.tokens ?? null;
}

function perOf({ tokens, images, seconds }: ModelPrice): ModelPricing['per'] {
  if (seconds !== undefined) return 'second';
  return images !== undefined && Object.keys(tokens).length === 0 ? 'image' : '1000000_tokens';
}

/** With several prices the default is known only if the catalogue names the default size and quality. */
function defaultImagePrice(
  price: ModelPrice,
  { sizeDefault, qualityDefault }: ImageOptions,
): Units | undefined {
  const known = price.images?.size === 1 || sizeDefault !== null || qualityDefault !== null;
  return known ? imagePrice(price, { size: sizeDefault, quality: qualityDefault }) : undefined;
}

function imagePrices(price: ModelPrice, options: ImageOptions): ImagePrice[] {
  const charged = defaultKey(price, options);
  return [...(price.images ?? [])].map(([key, units]) => ({
    ...readKey(key, options),
    price: printUnits(chargedAmount(price, units)),
    default: key === charged,
  }));
}

/** The most specific price, as in `imagePrice`. */
function defaultKey({ images }: ModelPrice, { sizeDefault, qualityDefault }: ImageOptions): string | null {
  if (sizeDefault === null && qualityDefault === null) return null;
  const keys = [`${sizeDefault}/${qualityDefault}`, sizeDefault ?? '', qualityDefault ?? '', 'default'];
  return keys.find((key) => images?.has(key)) ?? null;
}

function readKey(key: string, { qualities }: ImageOptions): Pick<ImagePrice, 'size' | 'quality'> {
  if (key === 'default') return { size: null, quality: null };
  const [first = '', second] = key.split('/');
  if (second !== undefined) return { size: first, quality: second };
  return qualities?.includes(first) ? { size: null, quality: first } : { size: first, quality: null };
}

function secondPrices(price: ModelPrice): SecondPrice[] {
  return [...(price.seconds ?? [])].map(([key, units]) => ({
    resolution: key === 'default' ? null : key,
    price: printUnits(chargedAmount(price, units)),
    default: key === 'default',
  }));
}
