/** The prices of a model as rows: every dimension that the API returns. Pure. */
import type { ModelRowData } from './listed-model.ts';

type Pricing = NonNullable<ModelRowData['pricing']>;

/** In the order of a receipt. */
export const tokenPrices = [
  'input',
  'cached_input',
  'cache_write',
  'image_input',
  'output',
  'batch_input',
  'batch_output',
] as const;

export interface PriceRow {
  readonly kind: (typeof tokenPrices)[number] | 'per_image' | 'per_second';
  /** The size and quality, or the resolution; null: all others. */
  readonly choice: string | null;
  /** The price of a request that does not choose. */
  readonly isDefault: boolean;
  readonly price: string;
}

export function priceRows(pricing: Pricing): PriceRow[] {
  const tokens = tokenPrices.flatMap((kind) => {
    const price = pricing[kind];
    return price === undefined ? [] : [{ kind, choice: '', isDefault: false, price }];
  });
  return [...tokens, ...imageRows(pricing), ...secondRows(pricing)];
}

function imageRows({ per_image, image_prices }: Pricing): PriceRow[] {
  const kind = 'per_image';
  if (image_prices !== undefined)
    return image_prices.map(({ size, quality, price, default: isDefault }) => {
      const choice = [size, quality].filter((one) => one !== null).join(' ') || null;
      return { kind, choice, isDefault, price };
    });
  return per_image === undefined ? [] : [{ kind, choice: '', isDefault: false, price: per_image }];
}

function secondRows({ per_second, second_prices }: Pricing): PriceRow[] {
  const kind = 'per_second';
  if (second_prices !== undefined)
    return second_prices.map(({ resolution, price, default: isDefault }) => ({
      ...{ kind, choice: resolution, isDefault, price },
    }));
  return per_second === undefined ? [] : [{ kind, choice: '', isDefault: false, price: per_second }];
}
