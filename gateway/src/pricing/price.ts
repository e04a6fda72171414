/** Calculates the price of usage. Pure: the same usage and the same price sheet always give the same amount. */
import type { TokenComponent } from '../contract/price-components.ts';
import { multiplyUnits, sumUnits, type Units } from '../kernel/units.ts';
import { chargedAmount } from './markup.ts';
import type { ModelPrice } from './model-price.ts';
import { type ResolvedPrices, resolvePrices } from './resolve-prices.ts';
import { inputCounts, outputCounts, type TokenCount } from './split-tokens.ts';
import { alternativeTool } from './tool-kinds.ts';
import type { Usage, UsageDetails } from './usage.ts';

/** The size and quality of an image, as the request names them. */
export interface ImageKind {
  readonly size: string | null;
  readonly quality: string | null;
}

export type ChargeComponent = TokenComponent | 'request' | 'image' | 'second' | `tool.${string}`;

/** One line of a receipt. The price is per million tokens, per thousand calls of a tool, or for one of the others. */
export interface ChargeLine {
  readonly component: ChargeComponent;
  readonly count: number;
  readonly price: Units;
  readonly amount: Units;
}

export interface Charge {
  readonly total: Units;
  readonly lines: readonly ChargeLine[];
}

export const PER_MILLION = 1_000_000;
export const PER_THOUSAND = 1_000;

/** Null when the sheet has no price for something that was used: the cost is unknown, never zero. */
export function priceUsage(usage: Usage, price: ModelPrice | null, image?: ImageKind | null): Charge | null {
  const { lines, missing } = priceParts(usage, price, image ?? undefined);
  return missing.length > 0 ? null : { total: sumUnits(lines.map((line) => line.amount)), lines };
}

/**
 * Why the usage has no price: components, `tier:…`, `geo:…`, `batch`, `usage:…` for counts that have no meaning here,
 * and `model` for a model without prices. Empty if it has one.
 */
export function missingPrices(
  usage: Usage,
  price: ModelPrice | null,
  image?: ImageKind | null,
): readonly string[] {
  return priceParts(usage, price, image ?? undefined).missing;
}

export interface PricedParts {
  readonly lines: ChargeLine[];
  /** As in `missingPrices`. */
  readonly missing: string[];
}

/** The parts that have a price, and those that have none. */
export function priceParts(
  usage: Usage,
  price: ModelPrice | null,
  image: ImageKind = ANY_IMAGE,
): PricedParts {
  const parts: PricedParts = { lines: [], missing: [] };
  if (price === null) {
    parts.missing.push('model');
    return parts;
  }
  const { details, images = 0 } = usage;
  // The tier of an answer says nothing in a batch, which has its own price.
  const tier = price.batch ? null : (details?.tier ?? null);
  const geo = details?.geo ?? null;
  const contextTokens = details?.contextTokens ?? usage.inputTokens;
  const resolved = resolvePrices(price, { contextTokens, tier, geo });
  if (resolved === null) {
    if (tier !== null) parts.missing.push(`tier:${tier}`);
    if (geo !== null) parts.missing.push(`geo:${geo}`);
    if (price.batch) parts.missing.push('batch');
    return parts;
  }
  const [{ tokens }] = resolved.steps as [ResolvedPrices['steps'][number]];
  // Images are priced by their tokens if the provider reported them and the sheet has a price for output.
  const byTokens = (tokens.image_output ?? tokens.output) !== undefined && usage.outputTokens > 0;
  if (images > 0 && !byTokens) addLine(parts, 'image', images, { each: imagePrice(price, image), per: 1 });
  else addTokens(parts, usage, resolved);
  if (resolved.request !== null) addLine(parts, 'request', 1, { each: resolved.request, per: 1 });
  if (details !== undefined) addDetails(parts, details, resolved);
  return parts;
}

function addTokens(parts: PricedParts, usage: Usage, { steps }: ResolvedPrices): void {
  const [{ tokens }] = steps as [ResolvedPrices['steps'][number]];
  const input = inputCounts(usage, tokens);
  if (steps.length === 1) addCounts(parts, input, tokens);
  else addSteps(parts, input, steps);
  addCounts(parts, outputCounts(usage, tokens), tokens);
}

function addCounts(
  parts: PricedParts,
  counts: readonly TokenCount[],
  tokens: ResolvedPrices['steps'][number]['tokens'],
): void {
  for (const [component, count] of counts) {
    if (count > 0) addLine(parts, component, count, { each: tokens[component], per: PER_MILLION });
  }
}

/** A prompt starts with what was cached, then comes what was written to the cache, then the rest. */
function addSteps(parts: PricedParts, counts: readonly TokenCount[], steps: ResolvedPrices['steps']): void {
  const inOrder = [...counts].sort(([a], [b]) => placeInPrompt(a) - placeInPrompt(b));
  let position = 0;
  for (const [component, count] of inOrder) {
    const end = position + count;
    for (const [i, { above, tokens }] of steps.entries()) {
      const until = steps[i + 1]?.above ?? Number.POSITIVE_INFINITY;
      const within = Math.min(end, until) - Math.max(position, above);
      if (within > 0) addLine(parts, component, within, { each: tokens[component], per: PER_MILLION });
    }
    position = end;
  }
}

function placeInPrompt(component: TokenComponent): number {
  if (component.startsWith('cached_')) return 0;
  return component.startsWith('cache_write') ? 1 : 2;
}

function addDetails(parts: PricedParts, details: UsageDetails, { tools }: ResolvedPrices): void {
  for (const [kind, count] of Object.entries(details.tools ?? {})) {
    const each = tools.get(kind);
    if (count === 0 || (each === undefined && tools.has(alternativeTool(kind)))) continue;
    addLine(parts, `tool.${kind}`, count, { each, per: PER_THOUSAND });
  }
  for (const [path, count] of Object.entries(details.unknown ?? {})) {
    if (count !== 0) parts.missing.push(`usage:${path}`);
  }
}

/** Each line is rounded by itself, so that the lines add up to the total. */
function addLine(
  { lines, missing }: PricedParts,
  component: ChargeComponent,
  count: number,
  { each, per }: { each: Units | undefined; per: number },
): void {
  if (each === undefined) missing.push(component);
  else lines.push({ component, count, price: each, amount: multiplyUnits(each, { count, per }) });
}

const ANY_IMAGE: ImageKind = { size: null, quality: null };

/** The most specific price for an image of this size and quality. */
export function imagePrice(price: ModelPrice, { size, quality }: ImageKind): Units | undefined {
  const { images } = price;
  const amount =
    images?.get(`${size}/${quality}`) ??
    images?.get(size ?? '') ??
    images?.get(quality ?? '') ??
    images?.get('default');
  return amount === undefined ? undefined : chargedAmount(price, amount);
}

/** The price of a second of video in this resolution; null: the provider chooses the resolution. */
export function secondPrice(price: ModelPrice, resolution: string | null): Units | undefined {
  const amount = price.seconds?.get(resolution ?? 'default') ?? price.seconds?.get('default');
  return amount === undefined ? undefined : chargedAmount(price, amount);
}

/** Why seconds of video have no price, as in `missingPrices`. Empty if they have one. */
export function missingSecondPrice(price: ModelPrice | null, resolution: string | null): readonly string[] {
  if (price === null) return ['model'];
  if (secondPrice(price, resolution) !== undefined) return [];
  return [resolution === null ? 'second' : `second.${resolution}`];
}

/** Prices seconds of video. Null when the sheet has no price for the resolution. */
export function priceSeconds(
  seconds: number,
  price: ModelPrice | null,
  resolution: string | null,
): Charge | null {
  const each = price === null ? undefined : secondPrice(price, resolution);
  if (each === undefined) return null;
  // Lengths have at most three decimals, so that no fraction is lost.
  const amount = multiplyUnits(each, { count: Math.round(seconds * 1_000), per: 1_000 });
  return { total: amount, lines: [{ component: 'second', count: seconds, price: each, amount }] };
}
