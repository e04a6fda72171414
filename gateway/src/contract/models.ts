/** The models of a key: `GET /v1/models`, `GET /v1/models/{id}`. */
import { type Static, Type } from 'typebox';
import { componentMeanings, type TokenComponent, tokenComponents } from './price-components.ts';
import { PricingHours } from './price-hours.ts';
import { DecimalString, described, nullable } from './schema.ts';

export const capabilities = [
  'vision',
  'tools',
  'json_mode',
  'json_schema',
  'streaming',
  'image_output',
  'dimensions',
  'web_search',
] as const;
export type Capability = (typeof capabilities)[number];

const price = (description: string) => Type.Optional(described(DecimalString, description));

const isDefault = Type.Boolean({
  description: 'Whether this is the price of a request without an explicit choice.',
});

/** For images: by size and quality. Null: all others. */
export const ImagePrice = Type.Object(
  {
    size: nullable(Type.String({ description: 'The size; null: all others.' })),
    quality: nullable(Type.String({ description: 'The quality; null: all others.' })),
    price: described(DecimalString, 'Units for one image.'),
    default: isDefault,
  },
  { description: 'The price of an image of one size and quality.' },
);
export type ImagePrice = Static<typeof ImagePrice>;

/** For videos: by resolution. Null: all others. */
export const SecondPrice = Type.Object(
  {
    resolution: nullable(Type.String({ description: 'The resolution; null: all others.' })),
    price: described(DecimalString, 'Units for one second.'),
    default: isDefault,
  },
  { description: 'The price of a second of video in one resolution.' },
);
export type SecondPrice = Static<typeof SecondPrice>;

const tokenPrices = Object.fromEntries(
  tokenComponents.map((component) => [component, price(componentMeanings[component])]),
) as Record<TokenComponent, ReturnType<typeof price>>;

const toolPrices = Type.Record(Type.String(), DecimalString, {
  description: 'Units for 1,000 calls of a tool that the provider runs, by its kind.',
});

const amounts = (description: string) =>
  Type.Partial(Type.Record(Type.Enum([...tokenComponents]), DecimalString), { description });

/** Conditions, and the prices of a call that meets these and no others. */
export const PricingRule = Type.Object(
  {
    context_above: Type.Optional(
      Type.Integer({ description: 'Only if the prompt, with its cached tokens, is longer than this.' }),
    ),
    marginal: Type.Optional(
      Type.Boolean({ description: 'True: only for the input tokens above `context_above`.' }),
    ),
    tier: Type.Optional(Type.String({ description: 'Only for calls that were served in this tier.' })),
    geo: Type.Optional(Type.String({ description: 'Only for calls that were served in this region.' })),
    batch: Type.Optional(Type.Boolean({ description: 'True: only for lines of batches.' })),
    hours: Type.Optional(PricingHours),
    factor: price('Multiplies the token prices that the rule does not name.'),
    factors: Type.Optional(amounts('Factors for single components.')),
    prices: amounts('Prices per 1,000,000 tokens if only the conditions of this rule are met.'),
    request: price('Each call, beside its tokens.'),
    tools: Type.Optional(toolPrices),
  },
  { description: 'A special price and its conditions.' },
);
export type PricingRule = Static<typeof PricingRule>;

export const ModelPricing = Type.Object(
  {
    currency: Type.Literal('unit', { description: 'Always `unit`.' }),
    per: Type.Enum(['1000000_tokens', 'image', 'second'], {
      description: 'What the model is charged for. Token prices are per 1,000,000 tokens.',
    }),
    ...tokenPrices,
    request: price('Each call, beside its tokens.'),
    tools: Type.Optional(toolPrices),
    batch_input: price('Input tokens in a batch.'),
    batch_output: price('Output tokens in a batch.'),
    per_image: price(
      'Price of an image with the default size and quality; left out if the provider chooses them.',
    ),
    image_prices: Type.Optional(
      Type.Array(ImagePrice, { description: 'All prices of images, if there is more than one.' }),
    ),
    per_second: price('Price of a second of video in the default resolution.'),
    second_prices: Type.Optional(
      Type.Array(SecondPrice, { description: 'All prices of seconds, if there is more than one.' }),
    ),
    rules: Type.Optional(
      Type.Array(PricingRule, {
        description: 'Special prices. Every rule whose conditions are met applies, in this order.',
      }),
    ),
    valid_until: Type.Optional(
      Type.String({ description: 'From then on other prices apply to calls that start.' }),
    ),
  },
  { description: 'What the model costs. Null if its price is unknown.' },
);
export type ModelPricing = Static<typeof ModelPricing>;

export const ModelObject = Type.Object(
  {
    id: Type.String({ description: 'The model code. Send it as `model`.' }),
    object: Type.Literal('model', { description: 'Always `model`.' }),
    alias_of: Type.Optional(
      Type.String({
        description: 'The model that answers, if the id is an alias of it. Left out for models.',
      }),
    ),
    created: Type.Integer({ description: 'When the model was added, in Unix seconds.' }),
    owned_by: Type.Literal('tollgate', { description: 'Always `tollgate`.' }),
    supports_batch: Type.Boolean({ description: 'Whether batches can use it.' }),
    batch_requires: nullable(
      Type.Literal('web_search', {
        description: 'A tool that every batch line for it must have. Null: none.',
      }),
    ),
    output_cap_field: nullable(
      Type.Enum(['max_tokens', 'max_completion_tokens'], {
        description: 'The field of a chat request that caps its output in a batch. Null: either.',
      }),
    ),
    max_input_tokens: Type.Null({ description: 'Always null.' }),
    context_length: nullable(
      Type.Integer({ description: 'Tokens that prompt and output may have together. Null: unknown.' }),
    ),
    max_output_tokens: nullable(
      Type.Integer({ description: 'Tokens that an output may have. Null: unknown.' }),
    ),
    pricing: nullable(ModelPricing),
    endpoints: Type.Array(Type.String(), { description: 'The paths that it works with.' }),
    capabilities: Type.Array(Type.Enum([...capabilities]), { description: 'What it can do.' }),
  },
  { description: 'A model of the space.' },
);
export type ModelObject = Static<typeof ModelObject>;

export const ModelList = Type.Object(
  {
    object: Type.Literal('list', { description: 'Always `list`.' }),
    data: Type.Array(ModelObject, { description: 'The models.' }),
  },
  { description: 'All models of the space.' },
);
export type ModelList = Static<typeof ModelList>;
