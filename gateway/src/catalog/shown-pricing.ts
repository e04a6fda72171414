/** The prices that are charged, as `GET /v1/models` shows them. Pure. */
import type { ImagePrice, ModelPricing, SecondPrice } from '../contract/models.ts';
import { printUnits, type Units } from '../kernel/units.ts';
import { imagePrice, type ModelPrice, secondPrice } from '../pricing/price.ts';
import type { ImageOptions, Model } from './model.ts';

export function shownPricing({ price, image }: Pick<Model, 'price' | 'image'>): ModelPricing | null {
  if (price === null) return null;
  const amounts: Record<string, Units | undefined> = {
    input: price.input,
    image_input: price.imageInput,
    output: price.output,
    cached_input: price.cachedInput,
    cache_write: price.cacheWrite,
    batch_input: price.batchInput,
    batch_output: price.batchOutput,
    per_image: defaultImagePrice(price, image),
    per_second: secondPrice(price, null),
  };
  const known = Object.entries(amounts).flatMap(([name, units]) =>
    units === undefined ? [] : [[name, printUnits(units)]],
  );
  return {
    currency: 'unit',
    per: perOf(price),
    ...Object.fromEntries(known),
    ...(price.images !== undefined && price.images.size > 1 && { image_prices: imagePrices(price, image) }),
    ...(price.seconds !== undefined && price.seconds.size > 1 && { second_prices: secondPrices(price) }),
  };
}

function perOf({ input, output, images, seconds }: ModelPrice): ModelPricing['per'] {
  if (seconds !== undefined) return 'second';
  return images !== undefined && input === undefined && output === undefined ? 'image' : '1000000_tokens';
}

/** With several prices the default is known only if the catalogue names the default size and quality. */
function defaultImagePrice(
  price: ModelPrice,
  { sizeDefault, qualityDefault }: ImageOptions,
): Units | undefined {
  const known = price.images?.size === 1 || sizeDefault !== null || qualityDefault !== null;
  return known ? imagePrice(price, { size: sizeDefault, quality: qualityDefault }) : undefined;
}

function imagePrices(price: ModelPrice, options: ImageOptions): ImagePrice[] {
  const charged = defaultKey(price, options);
  return [...(price.images ?? [])].map(([key, units]) => ({
    ...readKey(key, options),
    price: printUnits(units),
    default: key === charged,
  }));
}

/** The most specific price, as in `imagePrice`. */
function defaultKey({ images }: ModelPrice, { sizeDefault, qualityDefault }: ImageOptions): string | null {
  if (sizeDefault === null && qualityDefault === null) return null;
  const keys = [`${sizeDefault}/${qualityDefault}`, sizeDefault ?? '', qualityDefault ?? '', 'default'];
  return keys.find((key) => images?.has(key)) ?? null;
}

function readKey(key: string, { qualities }: ImageOptions): Pick<ImagePrice, 'size' | 'quality'> {
  if (key === 'default') return { size: null, quality: null };
  const [first = '', second] = key.split('/');
  if (second !== undefined) return { size: first, quality: second };
  return qualities?.includes(first) ? { size: null, quality: first } : { size: first, quality: null };
}

function secondPrices({ seconds }: ModelPrice): SecondPrice[] {
  return [...(seconds ?? [])].map(([key, units]) => ({
    resolution: key === 'default' ? null : key,
    price: printUnits(units),
    default: key === 'default',
  }));
}
