/** The prices of a model as rows: every dimension that the API returns. Pure. */
import { tokenComponents } from '../../../../gateway/src/contract/price-components.ts';
import type { ModelRowData } from './listed-model.ts';

type Pricing = NonNullable<ModelRowData['pricing']>;
export type Rule = NonNullable<Pricing['rules']>[number];

/** In the order of a receipt. */
export const tokenPrices = [...tokenComponents, 'batch_input', 'batch_output'] as const;

export interface PriceRow {
  readonly kind: (typeof tokenPrices)[number] | 'request' | 'tool' | 'per_image' | 'per_second';
  /** The size and quality, the resolution, or the tool; null: all others. */
  readonly choice: string | null;
  /** The price of a request that does not choose. */
  readonly isDefault: boolean;
  readonly price: string;
}

export function priceRows(pricing: Pricing): PriceRow[] {
  return [
    ...tokenRows(pricing),
    ...rowOf('request', pricing.request),
    ...toolRows(pricing.tools),
    ...imageRows(pricing),
    ...secondRows(pricing),
  ];
}

/** Nothing if there is no such price. */
function rowOf(kind: PriceRow['kind'], price: string | undefined): PriceRow[] {
  return price === undefined ? [] : [{ kind, choice: '', isDefault: false, price }];
}

function tokenRows(pricing: Readonly<Partial<Record<(typeof tokenPrices)[number], string>>>): PriceRow[] {
  return tokenPrices.flatMap((kind) => rowOf(kind, pricing[kind]));
}

function toolRows(tools: Pricing['tools']): PriceRow[] {
  return Object.entries(tools ?? {}).map(([choice, price]) => ({
    kind: 'tool',
    choice,
    isDefault: false,
    price,
  }));
}

/** The prices of a rule, in the same form. */
export function ruleRows({ prices, request, tools }: Rule): PriceRow[] {
  return [...tokenRows(prices), ...rowOf('request', request), ...toolRows(tools)];
}

function imageRows({ per_image, image_prices }: Pricing): PriceRow[] {
  const kind = 'per_image';
  if (image_prices !== undefined)
    return image_prices.map(({ size, quality, price, default: isDefault }) => {
      const choice = [size, quality].filter((one) => one !== null).join(' ') || null;
      return { kind, choice, isDefault, price };
    });
  return rowOf(kind, per_image);
}

function secondRows({ per_second, second_prices }: Pricing): PriceRow[] {
  const kind = 'per_second';
  if (second_prices !== undefined)
    return second_prices.map(({ resolution, price, default: isDefault }) => ({
      kind,
      choice: resolution,
      isDefault,
      price,
    }));
  return rowOf(kind, per_second);
}
