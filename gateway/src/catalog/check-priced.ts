/**
 * Rejects what a request asks for and the model has no price for, before it is sent: what nobody could charge would be free.
 * A model without any prices is the operator's decision, and everything may be asked of it. Pure.
 */
import { Problem } from '../kernel/problem.ts';
import { type AskedPart, findUnpriced } from '../pricing/asked-parts.ts';
import type { ModelPrice } from '../pricing/model-price.ts';
import { type ImageKind, imagePrice, missingPrices, missingSecondPrice } from '../pricing/price.ts';
import { NO_TOKENS } from '../pricing/usage.ts';
import type { Model } from './model.ts';

/** `part`: as in `missingPrices`. `param`: the caller's own field. */
export function priceMissing(code: string, { part, param }: { part: string; param: string }): Problem {
  return new Problem('price_missing', {
    detail:
      `${param} asks for something that has no price for the model ${code} (${part}), so the request was not sent. ` +
      'Change or remove it, or ask your operator to add the price.',
    param,
    facts: { model: code, missing: part },
  });
}

/** Every text call uses them. */
const TEXT: readonly AskedPart[] = [
  { part: 'input', param: 'model', relayedOnly: false },
  { part: 'output', param: 'model', relayedOnly: false },
];

/** Null if everything has a price. `contextTokens`: about as many. */
export function textProblem(
  { code }: Pick<Model, 'code'>,
  price: ModelPrice | null,
  call: { asked: readonly AskedPart[]; contextTokens: number },
): Problem | null {
  if (price === null) return null;
  const unpriced = unpricedText(price) ?? findUnpriced(price, call.asked, call.contextTokens);
  return unpriced && priceMissing(code, unpriced);
}

const ofTexts = new WeakMap<ModelPrice, { readonly unpriced: AskedPart | null }>();

/** Depends on the price alone, so it is found once and not for every call. */
function unpricedText(price: ModelPrice): AskedPart | null {
  let found = ofTexts.get(price);
  if (found === undefined) {
    found = { unpriced: findUnpriced(price, TEXT, 0) };
    ofTexts.set(price, found);
  }
  return found.unpriced;
}

export function checkInputPrice({ code }: Pick<Model, 'code'>, price: ModelPrice | null): void {
  if (price === null) return;
  const [part] = missingPrices({ ...NO_TOKENS, inputTokens: 1 }, price);
  if (part !== undefined) throw priceMissing(code, { part, param: 'model' });
}

/** `chosen`: null where the provider chooses. Images may be charged by their tokens instead. */
export function checkImagePrice(
  model: Pick<Model, 'code'>,
  price: ModelPrice | null,
  chosen: ImageKind,
): void {
  if (price === null) return;
  if ((price.tokens.image_output ?? price.tokens.output) !== undefined) {
    // A provider that counts the tokens of an image counts those of the prompt too.
    checkInputPrice(model, price);
    return;
  }
  const { size, quality } = chosen;
  if (imagePrice(price, chosen) !== undefined) return;
  // Some image has a price, and the provider chooses which one it makes.
  if (size === null && quality === null && price.images !== undefined) return;
  const param = size !== null ? 'size' : quality !== null ? 'quality' : 'model';
  const part = ['image', size, quality].filter((word) => word !== null).join('.');
  throw priceMissing(model.code, { part, param });
}

export function checkVideoPrice(
  { code }: Pick<Model, 'code'>,
  price: ModelPrice | null,
  resolution: string | null,
): void {
  if (price === null) return;
  const [part] = missingSecondPrice(price, resolution);
  // Some resolution has a price, and the provider chooses.
  if (part === undefined || (resolution === null && price.seconds !== undefined)) return;
  throw priceMissing(code, { part, param: resolution === null ? 'model' : 'resolution' });
}
