/** The prices of a model in `tollgate.yaml`, as they are written. */
import { type Static, type TSchema, Type } from 'typebox';
import { componentMeanings, type TokenComponent, tokenComponents } from '../contract/price-components.ts';
import { about, closed, type KeyFacts } from '../yaml/about-key.ts';
import { HoursEntry } from './hours-entry.ts';
import type { MoneyEntry } from './money-entry.ts';

/** What a unit of the provider's currency costs, unless the file says it. */
export const UNITS_PER_CURRENCY = '1';

const AMOUNT = '^\\d{1,20}(\\.\\d{1,12})?$';
const FACTOR = '^\\d{1,6}(\\.\\d{1,12})?$';
const AmountText = Type.String({ pattern: AMOUNT });
const unpriced = { otherwise: 'no price', example: '2.5' };
const amount = (facts: KeyFacts) => Type.Optional(Type.String({ pattern: AMOUNT, ...facts }));
const factorText = (facts: KeyFacts) => Type.String({ pattern: FACTOR, ...facts });
/** One price, or one for each kind, and a `default`. */
const kindPrices = (facts: KeyFacts) =>
  Type.Optional(Type.Union([AmountText, Type.Record(Type.String(), AmountText)], facts));
const Tools = Type.Optional(
  Type.Record(Type.String({ pattern: '^[a-z0-9_]{1,60}$' }), AmountText, {
    ...about('Price of 1,000 calls of a tool that the provider runs, by its kind.', {
      otherwise: 'no price',
      example: { web_search: '10' },
    }),
    'x-names': 'lower-case letters, digits and "_"',
  }),
);
const Request = amount(
  about('Price of each call, beside its tokens.', { otherwise: 'none', example: '0.01' }),
);
const condition = (meaning: string, example: string) =>
  Type.Optional(
    Type.String({ minLength: 1, maxLength: 60, ...about(meaning, { otherwise: 'any', example }) }),
  );

function eachComponent<Schema extends TSchema>(
  schemaOf: (meaning: string) => Schema,
): Record<TokenComponent, Schema> {
  return Object.fromEntries(
    tokenComponents.map((component) => [component, schemaOf(componentMeanings[component])]),
  ) as Record<TokenComponent, Schema>;
}

const Factors = Type.Object(
  eachComponent((meaning) =>
    Type.Optional(
      factorText(about(`Multiplies the price of: ${meaning}`, { otherwise: 'factor', example: '0.5' })),
    ),
  ),
  { ...closed, ...about('Factors for single components.') },
);

export const PriceRuleEntry = Type.Object(
  {
    context_above: Type.Optional(
      Type.Integer({
        minimum: 1,
        ...about('Only if the prompt, with its cached tokens, is longer than this.', {
          otherwise: 'any',
          example: 200_000,
        }),
      }),
    ),
    marginal: Type.Optional(
      Type.Boolean(about('True: only for the input tokens above context_above.', { default: false })),
    ),
    tier: condition('Only for calls that were served in this tier.', 'flex'),
    geo: condition('Only for calls that were served in this region.', 'us'),
    batch: Type.Optional(Type.Literal(true, about('Only for lines of batches.', { otherwise: 'any' }))),
    hours: Type.Optional(HoursEntry),
    factor: Type.Optional(
      factorText(
        about('Multiplies the token prices that the rule does not name.', { otherwise: '1', example: '0.5' }),
      ),
    ),
    factors: Type.Optional(Factors),
    ...eachComponent((meaning) =>
      Type.Optional(
        Type.String({
          pattern: '^(same|\\d{1,20}(\\.\\d{1,12})?)$',
          ...about(`Price per 1,000,000, or same: the factor does not change it. ${meaning}`, {
            otherwise: 'factor',
            example: 'same',
          }),
        }),
      ),
    ),
    request: Request,
    tools: Tools,
  },
  { ...closed, ...about('A special price and its conditions.') },
);
export type PriceRuleEntry = Static<typeof PriceRuleEntry>;

export const PriceEntry = Type.Object(
  {
    from: Type.Optional(
      Type.String({
        pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2})?(Z|[+-]\\d{2}:\\d{2})$',
        ...about('Only in a list: these prices are for calls that start then or later.', {
          otherwise: 'always',
          example: '2026-12-01T00:00:00+09:00',
        }),
      }),
    ),
    as_of: Type.Optional(
      Type.String({
        pattern: '^\\d{4}-\\d{2}-\\d{2}$',
        ...about('The day of which the prices are. Changes no price.', {
          otherwise: 'unknown',
          example: '2026-11-16',
        }),
      }),
    ),
    source: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        ...about('Where the prices come from. Changes no price.', {
          otherwise: 'unknown',
          example: 'our list',
        }),
      }),
    ),
    ...eachComponent((meaning) => amount(about(`Price per 1,000,000. ${meaning}`, unpriced))),
    request: Request,
    tools: Tools,
    batch_input: amount(about('Price per 1,000,000 input tokens in a batch.', unpriced)),
    batch_output: amount(about('Price per 1,000,000 output tokens in a batch.', unpriced)),
    per_image: kindPrices(
      about('Price of an image: one price, or one for each size/quality, size or quality, and a default.', {
        otherwise: 'no price',
        example: { '1024x1024/low': '0.011', default: '0.042' },
      }),
    ),
    per_second: kindPrices(
      about('Price of a second of video: one price, or one for each resolution, and a default.', {
        otherwise: 'no price',
        example: '0.2',
      }),
    ),
    when: Type.Optional(
      Type.Array(
        PriceRuleEntry,
        about('Special prices. Every rule whose conditions are met applies, in this order.', {
          otherwise: 'none',
        }),
      ),
    ),
    from_provider: Type.Optional(
      Type.Literal(
        true,
        about('Charge the prices of the provider, in units. Then the entry has nothing else.', {
          otherwise: 'no',
        }),
      ),
    ),
  },
  { ...closed, ...about('What one model costs.') },
);
export type PriceEntry = Static<typeof PriceEntry>;

/** One entry, or several with dates. */
export const PriceEntries = Type.Union(
  [PriceEntry, Type.Array(PriceEntry, { minItems: 1 })],
  about('One entry, or a list of entries with dates.'),
);
export type PriceEntries = Static<typeof PriceEntries>;

const anyone = (meaning: string, example: string) =>
  Type.Optional(Type.String(about(meaning, { otherwise: 'any', example })));

/** Multiplies what is charged. A rule without conditions is for everyone. */
export const MarkupEntry = Type.Object(
  {
    factor: factorText(about('Multiplies what is charged.', { example: '1.2' })),
    model: anyone('Only for this model.', 'gpt-5-mini'),
    space: anyone('Only for the space of this name.', 'research'),
    key: anyone(
      'Only for the key with this id. Then the rule has no space.',
      'key_01j9x8w7v6t5s4r3q2p1n0m9k8',
    ),
  },
  {
    ...closed,
    ...about(
      'A factor. The most specific rule counts: key and model, key, space and model, space, model, all.',
    ),
  },
);
export type MarkupEntry = Static<typeof MarkupEntry>;

const version = Type.String({
  minLength: 1,
  ...about('The version of the sheet. Changed prices need a new one.', { example: '2026-11' }),
});

export const PriceSheetEntry = Type.Object(
  {
    version,
    models: Type.Record(Type.String(), PriceEntries, about('The prices, by the code of the model.')),
    markup: Type.Optional(
      Type.Array(MarkupEntry, about('Factors by space, model or key.', { otherwise: 'none' })),
    ),
    units_per_currency: Type.Optional(
      factorText(
        about("How many units one unit of the provider's currency costs, for prices from the provider.", {
          default: UNITS_PER_CURRENCY,
          example: '100',
        }),
      ),
    ),
  },
  { ...closed, ...about('What models cost callers, in units.') },
);
export type PriceSheetEntry = Static<typeof PriceSheetEntry>;

export const currencies = ['USD', 'EUR', 'GBP', 'JPY', 'KRW', 'CNY'] as const;

/** What providers charge, by `<provider>/<upstream model>`. */
export const ProviderSheetEntry = Type.Object(
  {
    version,
    currency: Type.Enum([...currencies], about('The currency of these prices.')),
    models: Type.Record(
      Type.String(),
      PriceEntries,
      about('The prices, by provider and model there, such as openai/gpt-5-mini.'),
    ),
  },
  { ...closed, ...about('What providers charge us, in their currency.') },
);
export type ProviderSheetEntry = Static<typeof ProviderSheetEntry>;

/** The parts of `tollgate.yaml` that prices depend on. */
export interface PricedFile {
  readonly models: Readonly<
    Record<string, { readonly routes: ReadonlyArray<{ readonly provider: string; readonly model: string }> }>
  >;
  readonly prices?: PriceSheetEntry;
  readonly provider_prices?: ProviderSheetEntry;
  readonly money?: MoneyEntry;
}

/** What a text should have been that has a wrong form. */
export function priceForm(path: string): string {
  if (/\.hours\.(from|to)$/.test(path)) return 'must be a time of day in UTC, such as 16:30';
  if (/\.(as_of|except\[\d+\])$/.test(path)) return 'must be a day, such as 2026-11-16';
  return path.endsWith('.from')
    ? 'must be a date and time with its offset, such as 2026-12-01T00:00:00+09:00'
    : 'must be a decimal number that is not negative, with at most 12 places';
}
