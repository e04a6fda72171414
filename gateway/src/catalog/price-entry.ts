/** The prices of a model in `tollgate.yaml`, as they are written. */
import { type Static, type TSchema, Type } from 'typebox';
import { type TokenComponent, tokenComponents } from '../contract/price-components.ts';
import { PricingHours } from '../contract/price-hours.ts';

const closed = { additionalProperties: false } as const;
const AmountText = Type.String({ pattern: '^\\d{1,20}(\\.\\d{1,12})?$' });
const Amount = Type.Optional(AmountText);
const FactorText = Type.String({ pattern: '^\\d{1,6}(\\.\\d{1,12})?$' });
/** One price, or one for each kind, and a `default`. */
const KindPrices = Type.Optional(Type.Union([AmountText, Type.Record(Type.String(), AmountText)]));
const Tools = Type.Optional(Type.Record(Type.String({ pattern: '^[a-z0-9_]{1,60}$' }), AmountText));
const Condition = Type.Optional(Type.String({ minLength: 1, maxLength: 60 }));

function eachComponent<Schema extends TSchema>(schema: Schema): Record<TokenComponent, Schema> {
  return Object.fromEntries(tokenComponents.map((component) => [component, schema])) as Record<
    TokenComponent,
    Schema
  >;
}

/** `same`: the factor of the rule does not change this price. */
const RuleAmount = Type.Optional(Type.String({ pattern: '^(same|\\d{1,20}(\\.\\d{1,12})?)$' }));

export const PriceRuleEntry = Type.Object(
  {
    context_above: Type.Optional(Type.Integer({ minimum: 1 })),
    marginal: Type.Optional(Type.Boolean()),
    tier: Condition,
    geo: Condition,
    batch: Type.Optional(Type.Literal(true)),
    hours: Type.Optional(PricingHours),
    factor: Type.Optional(FactorText),
    factors: Type.Optional(Type.Object(eachComponent(Type.Optional(FactorText)), closed)),
    ...eachComponent(RuleAmount),
    request: Amount,
    tools: Tools,
  },
  closed,
);
export type PriceRuleEntry = Static<typeof PriceRuleEntry>;

export const PriceEntry = Type.Object(
  {
    /** Valid for calls that start then or later; only in a list. */
    from: Type.Optional(
      Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2})?(Z|[+-]\\d{2}:\\d{2})$' }),
    ),
    /** The day of which the prices are, and where they come from. They change no price. */
    as_of: Type.Optional(Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })),
    source: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    ...eachComponent(Amount),
    request: Amount,
    tools: Tools,
    batch_input: Amount,
    batch_output: Amount,
    /** By `size/quality`, size or quality. */
    per_image: KindPrices,
    /** By resolution. */
    per_second: KindPrices,
    when: Type.Optional(Type.Array(PriceRuleEntry)),
    /** The prices of the provider, in units; then nothing else. */
    from_provider: Type.Optional(Type.Literal(true)),
  },
  closed,
);
export type PriceEntry = Static<typeof PriceEntry>;

/** One entry, or several with dates. */
export const PriceEntries = Type.Union([PriceEntry, Type.Array(PriceEntry, { minItems: 1 })]);
export type PriceEntries = Static<typeof PriceEntries>;

/** Multiplies what is charged. A rule without conditions is for everyone. */
export const MarkupEntry = Type.Object(
  {
    factor: FactorText,
    model: Type.Optional(Type.String()),
    /** The name of a space. */
    space: Type.Optional(Type.String()),
    /** The id of a key. */
    key: Type.Optional(Type.String()),
  },
  closed,
);
export type MarkupEntry = Static<typeof MarkupEntry>;

export const PriceSheetEntry = Type.Object(
  {
    version: Type.String({ minLength: 1 }),
    models: Type.Record(Type.String(), PriceEntries),
    markup: Type.Optional(Type.Array(MarkupEntry)),
    /** How many units one unit of the provider's currency costs, for prices from the provider. */
    units_per_currency: Type.Optional(FactorText),
  },
  closed,
);
export type PriceSheetEntry = Static<typeof PriceSheetEntry>;

export const currencies = ['USD', 'EUR', 'GBP', 'JPY', 'KRW', 'CNY'] as const;

/** What providers charge, by `<provider>/<upstream model>`. */
export const ProviderSheetEntry = Type.Object(
  {
    version: Type.String({ minLength: 1 }),
    currency: Type.Enum([...currencies]),
    models: Type.Record(Type.String(), PriceEntries),
  },
  closed,
);
export type ProviderSheetEntry = Static<typeof ProviderSheetEntry>;

/** The parts of `tollgate.yaml` that prices depend on. */
export interface PricedFile {
  readonly models: Readonly<
    Record<string, { readonly routes: ReadonlyArray<{ readonly provider: string; readonly model: string }> }>
  >;
  readonly prices?: PriceSheetEntry;
  readonly provider_prices?: ProviderSheetEntry;
}

/** What a text should have been that has a wrong form. */
export function priceForm(path: string): string {
  if (/\.hours\.(from|to)$/.test(path)) return 'must be a time of day in UTC, such as 16:30';
  if (/\.(as_of|except\[\d+\])$/.test(path)) return 'must be a day, such as 2026-11-16';
  return path.endsWith('.from')
    ? 'must be a date and time with its offset, such as 2026-12-01T00:00:00+09:00'
    : 'must be a decimal number that is not negative, with at most 12 places';
}
