/** What a request asks for that has a price of its own, and whether the sheet has it. Pure. */
import type { TokenComponent } from '../contract/price-components.ts';
import type { ModelPrice } from './model-price.ts';
import { type ResolvedPrices, resolvePrices } from './resolve-prices.ts';
import { alternativeTool } from './tool-kinds.ts';

/** By the names of price sheets and of `missingPrices`. */
export type AskedName = TokenComponent | `tier:${string}` | `geo:${string}` | `tool.${string}`;

export interface AskedPart {
  readonly part: AskedName;
  /** The caller's own field, such as `tools[2].type`. */
  readonly param: string;
  /** True: only routes that relay the request pass it on. A translation leaves it out, or rejects it. */
  readonly relayedOnly: boolean;
}

/** The first part without a price; null if everything has one. `contextTokens`: about as many. */
export function findUnpriced(
  price: ModelPrice,
  asked: readonly AskedPart[],
  contextTokens: number,
): AskedPart | null {
  // Most calls ask for nothing that has a price of its own.
  if (asked.length === 0) return null;
  const conditions = asked.filter(({ part }) => isCondition(part));
  const call = { contextTokens, tier: namedBy(conditions, 'tier:'), geo: namedBy(conditions, 'geo:') };
  const resolved = resolvePrices(price, call);
  if (resolved !== null)
    return asked.find(({ part }) => !isCondition(part) && !hasPrice(resolved, part)) ?? null;
  // A tier and a region may have prices, and the two together none.
  const alone = ({ part }: AskedPart) =>
    resolvePrices(price, part.startsWith('tier:') ? { ...call, geo: null } : { ...call, tier: null });
  return conditions.find((one) => alone(one) === null) ?? conditions[0] ?? null;
}

/** Whether writes to a cache without a lifetime have no price: then each lifetime needs its own. */
export function pricesWritesByLifetime(price: ModelPrice): boolean {
  return resolvePrices(price, NO_CONDITIONS)?.steps[0]?.tokens.cache_write === undefined;
}

const NO_CONDITIONS = { contextTokens: 0, tier: null, geo: null };

function isCondition(part: AskedName): boolean {
  return part.startsWith('tier:') || part.startsWith('geo:');
}

function namedBy(asked: readonly AskedPart[], kind: 'tier:' | 'geo:'): string | null {
  return asked.find(({ part }) => part.startsWith(kind))?.part.slice(kind.length) ?? null;
}

function hasPrice({ steps, tools }: ResolvedPrices, part: AskedName): boolean {
  if (part.startsWith('tool.')) return hasToolPrice(tools, part.slice('tool.'.length));
  const tokens = steps[0]?.tokens ?? {};
  // A lifetime without a price of its own costs what writes without a lifetime cost.
  if (part.startsWith('cache_write_') && tokens.cache_write !== undefined) return true;
  return tokens[part as TokenComponent] !== undefined;
}

function hasToolPrice(tools: ResolvedPrices['tools'], kind: string): boolean {
  // The tokens of the image tool may have prices instead.
  if (kind === 'image_generation' && tools.has('image_generation_image_output')) return true;
  return tools.has(kind) || tools.has(alternativeTool(kind));
}
