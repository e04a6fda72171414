/** The price of usage, or what it counts for limits as long as it has none. Pure. */
import { addUnits, multiplyUnits, sumUnits, type Units, ZERO } from '../kernel/units.ts';
import { chargedAmount } from './markup.ts';
import type { ModelPrice } from './model-price.ts';
import { type Charge, type ImageKind, missingSecondPrice, priceParts, priceSeconds } from './price.ts';
import type { Usage } from './usage.ts';
import { usageDetails, withDetails } from './usage-details.ts';

export interface PricedUsage {
  /** Null: unknown. */
  readonly charge: Charge | null;
  /** What has no price; empty if everything has. */
  readonly missing: readonly string[];
  /** What unpriced usage counts for until it has a price. It is never charged. Null if that is nothing. */
  readonly provisional: Units | null;
}

export function priceOrProvisional(
  usage: Usage,
  price: ModelPrice | null,
  image?: ImageKind | null,
): PricedUsage {
  const { lines, missing } = priceParts(usage, price, image ?? undefined);
  if (missing.length === 0)
    return {
      charge: { total: sumUnits(lines.map(({ amount }) => amount)), lines },
      missing,
      provisional: null,
    };
  return { charge: null, missing, provisional: aboveZero(price && standardAmount(usage, price, image)) };
}

/** The same for seconds of video. */
export function priceSecondsOrProvisional(
  seconds: number,
  price: ModelPrice | null,
  resolution: string | null,
): PricedUsage {
  const charge = priceSeconds(seconds, price, resolution);
  if (charge !== null) return { charge, missing: [], provisional: null };
  const highest = price && highestOf(price, price.seconds);
  const amount = highest && multiplyUnits(highest, { count: Math.round(seconds * 1_000), per: 1_000 });
  return { charge, missing: missingSecondPrice(price, resolution), provisional: aboveZero(amount) };
}

/**
 * What usage costs by the standard price of the model: in no tier and no region, audio as text, and images without a price
 * at the highest price of one. What remains without a price, such as a tool, adds nothing.
 */
function standardAmount(usage: Usage, price: ModelPrice, image?: ImageKind | null): Units {
  const standard = standardUsage(usage);
  let parts = priceParts(standard, price, image ?? undefined);
  // Of the writes to a cache only other lifetimes have a price.
  if (parts.missing.includes('cache_write'))
    parts = priceParts(withoutWrites(standard), price, image ?? undefined);
  const known = sumUnits(parts.lines.map(({ amount }) => amount));
  if (!parts.missing.includes('image')) return known;
  const each = highestOf(price, price.images) ?? ZERO;
  return addUnits(known, multiplyUnits(each, { count: usage.images ?? 0, per: 1 }));
}

function standardUsage({ details = {}, ...counts }: Usage): Usage {
  const standard = {
    ...details,
    tier: undefined,
    geo: undefined,
    unknown: undefined,
    audioInputTokens: undefined,
    audioOutputTokens: undefined,
    cachedAudioInputTokens: undefined,
  };
  return withDetails(counts, usageDetails(standard));
}

/** Written tokens are input tokens. */
function withoutWrites({ details = {}, ...counts }: Usage): Usage {
  return withDetails(
    { ...counts, cacheWriteTokens: 0 },
    usageDetails({ ...details, cacheWrites: undefined }),
  );
}

function highestOf(price: ModelPrice, prices: ReadonlyMap<string, Units> | undefined): Units | null {
  let highest: Units | null = null;
  for (const amount of prices?.values() ?? []) if (highest === null || amount > highest) highest = amount;
  return highest === null ? null : chargedAmount(price, highest);
}

function aboveZero(amount: Units | null): Units | null {
  return amount !== null && amount > ZERO ? amount : null;
}
