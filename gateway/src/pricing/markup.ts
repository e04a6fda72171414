/** Markup: a factor on every price of a model, by space or key. Pure. */
import { scaleUnits, type Units } from '../kernel/units.ts';
import type { ModelPrice } from './model-price.ts';

/** A rule for one model. Conditions that are absent are met by everyone. */
export interface MarkupRule {
  readonly factor: Units;
  /** The name of the space. */
  readonly space?: string;
  /** The id of the key. */
  readonly key?: string;
}

/** Whose price it is. */
export interface PricedCaller {
  readonly spaceName: string;
  readonly keyId?: string;
}

/** The prices multiplied by the first rule that fits; `rules` are in the order of their precedence. */
export function markedUp(
  price: ModelPrice | null,
  rules: readonly MarkupRule[],
  caller: PricedCaller,
): ModelPrice | null {
  if (price === null) return null;
  const rule = rules.find(
    ({ space, key }) =>
      (space === undefined || space === caller.spaceName) && (key === undefined || key === caller.keyId),
  );
  return rule === undefined ? price : multiplied(price, rule.factor);
}

const multipliedPrices = new WeakMap<ModelPrice, Map<Units, ModelPrice>>();

/** The same object each time, so that its resolved prices stay cached. */
export function multiplied(price: ModelPrice, factor: Units): ModelPrice {
  let byFactor = multipliedPrices.get(price);
  if (byFactor === undefined) {
    byFactor = new Map();
    multipliedPrices.set(price, byFactor);
  }
  let found = byFactor.get(factor);
  if (found === undefined) {
    found = { ...price, factors: [...(price.factors ?? []), factor] };
    byFactor.set(factor, found);
  }
  return found;
}

/** An amount of the sheet as it is charged. */
export function chargedAmount({ factors }: Pick<ModelPrice, 'factors'>, amount: Units): Units {
  return factors === undefined ? amount : scaleUnits(amount, factors);
}
