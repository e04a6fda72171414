/** What the provider will bill for usage, by its own prices. Pure. */
import type { Instant } from '../kernel/time.ts';
import type { Units } from '../kernel/units.ts';
import { batchPrice, type PriceList, priceAt } from './model-price.ts';
import { type ImageKind, priceSeconds, priceUsage } from './price.ts';
import type { Usage } from './usage.ts';

/** What a provider charges for one of its models. */
export interface ProviderPrices {
  readonly prices: PriceList;
  readonly currency: string;
  /** The version of the provider's price sheet. */
  readonly version: string;
}

export interface ProviderCost {
  readonly amount: Units;
  readonly currency: string;
  readonly version: string;
}

/** Null: unknown, because the route or something that was used has no provider price. */
export function providerCost(
  billing: ProviderPrices | undefined,
  usage: Usage | null,
  call: { startedAt: Instant; image?: ImageKind | undefined; batch?: boolean },
): ProviderCost | null {
  if (billing === undefined || usage === null) return null;
  const price = priceAt(billing.prices, call.startedAt);
  const charge = priceUsage(usage, call.batch ? batchPrice(price) : price, call.image);
  return charge && { amount: charge.total, currency: billing.currency, version: billing.version };
}

/** As above, for a video. */
export function providerVideoCost(
  billing: ProviderPrices | undefined,
  seconds: number,
  video: { createdAt: Instant; resolution: string | null },
): ProviderCost | null {
  if (billing === undefined) return null;
  const charge = priceSeconds(seconds, priceAt(billing.prices, video.createdAt), video.resolution);
  return charge && { amount: charge.total, currency: billing.currency, version: billing.version };
}
