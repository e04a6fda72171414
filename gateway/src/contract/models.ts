/** The models of a key: `GET /v1/models`, `GET /v1/models/{id}`. */
import { type Static, Type } from 'typebox';
import { DecimalString, nullable } from './schema.ts';

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

const price = Type.Optional(DecimalString);

const isDefault = Type.Boolean({
  description: 'Whether this is the price of a request without an explicit choice.',
});

/** For images: by size and quality. Null: all others. */
export const ImagePrice = Type.Object({
  size: nullable(Type.String()),
  quality: nullable(Type.String()),
  price: DecimalString,
  default: isDefault,
});
export type ImagePrice = Static<typeof ImagePrice>;

/** For videos: by resolution. Null: all others. */
export const SecondPrice = Type.Object({
  resolution: nullable(Type.String()),
  price: DecimalString,
  default: isDefault,
});
export type SecondPrice = Static<typeof SecondPrice>;

export const ModelPricing = Type.Object({
  currency: Type.Literal('unit'),
  per: Type.Enum(['1000000_tokens', 'image', 'second'], {
    description: 'What the model is charged for. Token prices are per 1,000,000 tokens.',
  }),
  input: price,
  image_input: price,
  output: price,
  cached_input: price,
  cache_write: price,
  batch_input: price,
  batch_output: price,
  per_image: Type.Optional(
    Type.String({
      ...DecimalString,
      description:
        'Price of an image with the default size and quality; left out if the provider chooses them.',
    }),
  ),
  image_prices: Type.Optional(Type.Array(ImagePrice)),
  per_second: Type.Optional(
    Type.String({ ...DecimalString, description: 'Price of a second of video in the default resolution.' }),
  ),
  second_prices: Type.Optional(Type.Array(SecondPrice)),
});
export type ModelPricing = Static<typeof ModelPricing>;

export const ModelObject = Type.Object({
  id: Type.String(),
  object: Type.Literal('model'),
  created: Type.Integer(),
  owned_by: Type.Literal('tollgate'),
  supports_batch: Type.Boolean(),
  max_input_tokens: Type.Null(),
  pricing: nullable(ModelPricing),
  endpoints: Type.Array(Type.String()),
  capabilities: Type.Array(Type.Enum([...capabilities])),
});
export type ModelObject = Static<typeof ModelObject>;

export const ModelList = Type.Object({ object: Type.Literal('list'), data: Type.Array(ModelObject) });
export type ModelList = Static<typeof ModelList>;
