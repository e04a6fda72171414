/**
 * What a call costs at most, known before it is sent: its prompt bounded by its bytes, its answer by its limit, both at the
 * highest prices of the models that may answer. docs/money.md says what is assumed of providers. Pure.
 */
import type { Catalog, ModelUser } from '../catalog/catalog.ts';
import { chargedPrice } from '../catalog/charged-price.ts';
import type { Model } from '../catalog/model.ts';
import type { ModelEndpoint } from '../contract/paid-endpoints.ts';
import type { Instant } from '../kernel/time.ts';
import { type Units, ZERO } from '../kernel/units.ts';
import type { PricedCaller } from '../pricing/markup.ts';
import { batchPrice, type ModelPrice } from '../pricing/model-price.ts';
import { type ImageKind, PER_MILLION } from '../pricing/price.ts';
import {
  type CountsAtMost,
  highestPrices,
  type MayServe,
  priceAtMost,
  restAtMost,
} from '../pricing/price-at-most.ts';
import { type CallSize, SPARE_TOKENS, TOKENS_PER_BYTE_MAX } from './believable-usage.ts';
import type { PromptBound } from './check-bounded.ts';

/** The parts of models that decide. */
export type BoundedModel = Pick<Model, 'prices' | 'markups' | 'contextTokens' | 'outputTokensMax'>;

export interface BoundedCall {
  readonly model: BoundedModel;
  /** The models that may answer instead. */
  readonly fallbacks: readonly BoundedModel[];
  readonly principal: PricedCaller;
  /** When the call started. */
  readonly at: Instant;
  readonly size: CallSize;
  readonly prompt: PromptBound;
  readonly serve: MayServe;
  /** For calls that make images: what the caller chose. */
  readonly image?: ImageKind;
  /** A line of a batch, which has its own prices. */
  readonly batch?: boolean;
}

/** An answer whose caller sets no limit is longer only if the catalogue says so; a limit of this size is sent. */
export const ANSWER_TOKENS = 4_096;
/** A caller without an output limit gets at least this many tokens, or its call is rejected. */
export const MINIMUM_OUTPUT_TOKENS = 256;
/** The largest number that a provider is known to count for one image, in high detail. */
const TOKENS_PER_IMAGE_MAX = 50_000;

export function costAtMost(call: BoundedCall): Units {
  let most = ZERO;
  for (const model of modelsOf(call)) {
    const price = priceOf(call, model);
    if (price === null) continue;
    const amount = priceAtMost(price, countsOf(call, model), call.serve);
    if (amount > most) most = amount;
  }
  return most;
}

/**
 * The largest output limit with which a text call costs at most `left`, and no more than the model can write. Null if that is
 * less than MINIMUM_OUTPUT_TOKENS. The limit in `size` does not count.
 */
export function affordableOutput(left: Units, call: BoundedCall): number | null {
  let tokens = answerTokens(call.model);
  for (const model of modelsOf(call)) {
    const price = priceOf(call, model);
    if (price !== null) tokens = Math.min(tokens, affordableOn(price, left, { call, model }));
  }
  return tokens < Math.min(MINIMUM_OUTPUT_TOKENS, answerTokens(call.model)) ? null : tokens;
}

function affordableOn(
  price: ModelPrice,
  left: Units,
  { call, model }: { call: BoundedCall; model: BoundedModel },
): number {
  const counts = { ...countsOf(call, model), outputTokens: 0 };
  const prices = highestPrices(price, counts.inputTokens, call.serve);
  const forTokens = left - restAtMost(prices, counts) - prices.rounding;
  const forOutput = forTokens * BigInt(PER_MILLION) - prices.input * BigInt(counts.inputTokens);
  if (forOutput < 0n) return 0;
  if (prices.output === ZERO) return Number.MAX_SAFE_INTEGER;
  const all = forOutput / (prices.output * BigInt(call.size.answers * call.prompt.passes));
  return Number(all < SAFE_MAX ? all : SAFE_MAX);
}

const SAFE_MAX = BigInt(Number.MAX_SAFE_INTEGER);

/** The models that may answer a text call instead, if the caller may use them. */
export function fallbackModels(
  { fallbacks = [] }: Pick<Model, 'fallbacks'>,
  { user, endpoint }: { user: ModelUser; endpoint: ModelEndpoint },
  catalog: Pick<Catalog, 'seen'>,
): readonly Model[] {
  return fallbacks.flatMap(({ model: code }) => {
    const found = catalog.seen(code, user);
    return found?.endpoints.has(endpoint) ? [found] : [];
  });
}

/** Every route of a model has the same price. */
function modelsOf({ model, fallbacks }: BoundedCall): readonly BoundedModel[] {
  return fallbacks.length === 0 ? [model] : [model, ...fallbacks];
}

function priceOf({ principal, at, batch = false }: BoundedCall, model: BoundedModel): ModelPrice | null {
  const price = chargedPrice(model, principal, at);
  return batch ? batchPrice(price) : price;
}

function countsOf(call: BoundedCall, model: BoundedModel): CountsAtMost {
  const { size, prompt, image } = call;
  const { passes, tools } = prompt;
  return {
    inputTokens: inputAtMost(call, model) * passes,
    outputTokens: (size.outputTokensMax ?? answerTokens(model)) * size.answers * passes,
    tools,
    ...(image !== undefined && { images: size.answers, image }),
  };
}

/** In one pass. No token is shorter than a byte, and no prompt longer than the context. */
function inputAtMost({ size, prompt }: BoundedCall, { contextTokens }: BoundedModel): number {
  const { images, imageBytes, compressed, addedTokens, passes } = prompt;
  const media = images * TOKENS_PER_IMAGE_MAX + addedTokens;
  const texts = size.bytes - imageBytes + media;
  // What a tool finds is not known before. More than this is not believed of a provider.
  if (compressed || passes > 1)
    return contextTokens ?? size.bytes * TOKENS_PER_BYTE_MAX + media + SPARE_TOKENS;
  return contextTokens === null ? texts : Math.min(texts, contextTokens);
}

/** The longest answer of a model, if its caller sets no limit. */
export function answerTokens({ outputTokensMax }: Pick<Model, 'outputTokensMax'>): number {
  return outputTokensMax ?? ANSWER_TOKENS;
}
