/** The prices that a caller is charged: those of the model, with the markup for the space and the key. Pure. */
import type { Instant } from '../kernel/time.ts';
import { markedUp, type PricedCaller } from '../pricing/markup.ts';
import { type ModelPrice, priceAt, priceOn } from '../pricing/model-price.ts';
import type { Model } from './model.ts';

/** For work that started at `at`; null if the model has no price then. */
export function chargedPrice(
  { prices, markups }: Pick<Model, 'prices' | 'markups'>,
  caller: PricedCaller,
  at: Instant,
): ModelPrice | null {
  const price = priceAt(prices, at);
  return markups === undefined ? price : markedUp(price, markups, caller);
}

/** The same as it is listed: the rules for hours of the day do not apply, whatever the time is. */
export function listedPrice(
  { prices, markups }: Pick<Model, 'prices' | 'markups'>,
  caller: PricedCaller,
  at: Instant,
): ModelPrice | null {
  const price = priceOn(prices, at);
  return markups === undefined ? price : markedUp(price, markups, caller);
}

/** Whether some spaces or keys pay other prices than everyone else. */
export function hasPricesBySpace({ markups = [] }: Pick<Model, 'markups'>): boolean {
  return markups.some(({ space, key }) => space !== undefined || key !== undefined);
}
