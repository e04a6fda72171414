/** What a call may cost, roughly: for limits that are not hard, if nobody knows what such a call cost before. Pure. */
import { chargedPrice } from '../catalog/charged-price.ts';
import type { Model } from '../catalog/model.ts';
import { roughTokens } from '../kernel/rough-tokens.ts';
import type { Instant } from '../kernel/time.ts';
import { type Units, ZERO } from '../kernel/units.ts';
import type { PricedCaller } from '../pricing/markup.ts';
import { priceOrProvisional } from '../pricing/unpriced.ts';
import { NO_TOKENS } from '../pricing/usage.ts';
import type { CallSize } from './believable-usage.ts';
import { answerTokens } from './cost-at-most.ts';

export function roughCost(of: {
  model: Model;
  principal: PricedCaller;
  at: Instant;
  size: CallSize;
  images?: number;
}): Units {
  const { model, principal, at, size, images } = of;
  const usage = {
    ...NO_TOKENS,
    inputTokens: roughTokens(size.bytes),
    outputTokens: images === undefined ? size.answers * (size.outputTokensMax ?? answerTokens(model)) : 0,
    ...(images !== undefined && { images }),
  };
  const { charge, provisional } = priceOrProvisional(usage, chargedPrice(model, principal, at));
  return charge?.total ?? provisional ?? ZERO;
}
