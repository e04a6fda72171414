/** What the provider bills for a call whose provider cost was unknown when it was recorded, by the prices of today. */
import type { Queryable } from '../database/database.ts';
import type { ModelPrice } from '../pricing/model-price.ts';
import { type ProviderCost, type ProviderPrices, providerCost } from '../pricing/provider-cost.ts';
import { readStoredDetails } from '../pricing/stored-details.ts';
import type { Usage } from '../pricing/usage.ts';
import { withDetails } from '../pricing/usage-details.ts';
import { findUnbilledCall, type UnbilledCall } from './corrections.store.ts';

export interface BilledRoute {
  readonly model: string;
  readonly provider: string;
  readonly upstreamModel: string;
}

/** The provider's prices for a route; null: it has none. */
export type BillingOf = (route: BilledRoute) => Promise<ProviderPrices | null>;

/** Null if the call has a provider cost already, or it is still unknown. */
export async function billLater(
  db: Queryable,
  callId: string,
  billingOf: BillingOf,
): Promise<ProviderCost | null> {
  const call = await findUnbilledCall(db, callId);
  const billing = call && (await billingOf(call));
  if (call === null || billing === null) return null;
  // The size and the quality of images are not stored.
  if ((call.images ?? 0) > 0 && billing.prices.some(({ price }) => hasImagePrices(price))) return null;
  return providerCost(billing, usageOf(call), { startedAt: call.startedAt });
}

function hasImagePrices({ images }: ModelPrice): boolean {
  return images !== undefined && images.size > 1;
}

function usageOf(call: UnbilledCall): Usage {
  const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens, reasoningTokens, images } = call;
  const counts = { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens, reasoningTokens };
  return withDetails(images === null ? counts : { ...counts, images }, readStoredDetails(call.details));
}
