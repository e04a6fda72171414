/** Calculates the price of usage. Pure: the same usage and the same price sheet always give the same amount. */
import { multiplyUnits, sumUnits, type Units } from '../kernel/units.ts';
import type { Usage } from './usage.ts';

/** The prices of one model, in units per million tokens, per image or per second. */
export interface ModelPrice {
  readonly input?: Units;
  readonly imageInput?: Units;
  readonly cachedInput?: Units;
  readonly cacheWrite?: Units;
  readonly output?: Units;
  readonly batchInput?: Units;
  readonly batchOutput?: Units;
  /** Units per image, by `size/quality`, `size`, `quality` or `default`. */
  readonly images?: ReadonlyMap<string, Units>;
  /** Units per second of video, by resolution or `default`. */
  readonly seconds?: ReadonlyMap<string, Units>;
}

/** The size and quality of an image, as the request names them. */
export interface ImageKind {
  readonly size: string | null;
  readonly quality: string | null;
}

export type ChargeComponent =
  | 'input'
  | 'image_input'
  | 'cached_input'
  | 'cache_write'
  | 'output'
  | 'reasoning'
  | 'image'
  | 'second';

/** One line of a receipt: count, price (per million tokens, per image or per second) and amount. */
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

const PER_MILLION = 1_000_000;

/** Null when the sheet has no price for something that was used: the cost is unknown, never zero. */
export function priceUsage(usage: Usage, price: ModelPrice | null, image?: ImageKind | null): Charge | null {
  if (price === null) return null;
  const { images = 0, imageInputTokens = 0 } = usage;
  // Images are priced by their tokens if the provider reported them and the sheet has a price for output.
  const byTokens = price.output !== undefined && usage.outputTokens > 0;
  if (images > 0 && !byTokens) return priceImages(images, price, image ?? ANY_IMAGE);
  const { input, output, cachedInput = input, cacheWrite = input, imageInput = input } = price;
  const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens, reasoningTokens } = usage;
  const lines: ChargeLine[] = [];
  const plain = inputTokens - cachedInputTokens - cacheWriteTokens - imageInputTokens;
  const priced =
    addLine(lines, 'input', plain, input) &&
    addLine(lines, 'image_input', imageInputTokens, imageInput) &&
    addLine(lines, 'cached_input', cachedInputTokens, cachedInput) &&
    addLine(lines, 'cache_write', cacheWriteTokens, cacheWrite) &&
    addLine(lines, 'output', outputTokens - reasoningTokens, output) &&
    addLine(lines, 'reasoning', reasoningTokens, output);
  return priced ? { total: sumUnits(lines.map((line) => line.amount)), lines } : null;
}

/**
 * The prices for lines of a batch, in the form that `priceUsage` takes. A sheet has one batch price for all
 * input tokens, so cached tokens cost the same as others. Null when the model has no prices.
 */
export function batchPrice(price: ModelPrice | null): ModelPrice | null {
  if (price === null) return null;
  const { batchInput, batchOutput } = price;
  return {
    ...(batchInput !== undefined && { input: batchInput }),
    ...(batchOutput !== undefined && { output: batchOutput }),
  };
}

/** False when something was used that has no price. Each line is rounded, so that the lines add up to the total. */
function addLine(
  lines: ChargeLine[],
  component: ChargeComponent,
  count: number,
  price: Units | undefined,
): boolean {
  if (count === 0) return true;
  if (price === undefined) return false;
  lines.push({ component, count, price, amount: multiplyUnits(price, { count, per: PER_MILLION }) });
  return true;
}

const ANY_IMAGE: ImageKind = { size: null, quality: null };

function priceImages(count: number, price: ModelPrice, kind: ImageKind): Charge | null {
  const each = imagePrice(price, kind);
  if (each === undefined) return null;
  const amount = multiplyUnits(each, { count, per: 1 });
  return { total: amount, lines: [{ component: 'image', count, price: each, amount }] };
}

/** The most specific price for an image of this size and quality. */
export function imagePrice({ images }: ModelPrice, { size, quality }: ImageKind): Units | undefined {
  return (
    images?.get(`${size}/${quality}`) ??
    images?.get(size ?? '') ??
    images?.get(quality ?? '') ??
    images?.get('default')
  );
}

/** The price of a second of video in this resolution; null: the provider chooses the resolution. */
export function secondPrice({ seconds }: ModelPrice, resolution: string | null): Units | undefined {
  return seconds?.get(resolution ?? 'default') ?? seconds?.get('default');
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
