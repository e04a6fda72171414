/** The model list: `GET /v1/models`. */
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

const isDefault = Type.Boolean({ description: 'Whether a request that does not choose is charged this.' });

/** Of images: by size and quality, where they differ. Null is every other one. */
export const ImagePrice = Type.Object({
  size: nullable(Type.String()),
  quality: nullable(Type.String()),
  price: DecimalString,
  default: isDefault,
});
export type ImagePrice = Static<typeof ImagePrice>;

/** Of videos: by resolution, where they differ. Null is every other one. */
export const SecondPrice = Type.Object({
  resolution: nullable(Type.String()),
  price: DecimalString,
  default: isDefault,
});
export type SecondPrice = Static<typeof SecondPrice>;

export const ModelPricing = Type.Object({
  currency: Type.Literal('unit'),
  per: Type.Enum(['1000000_tokens', 'image', 'second'], {
    description: 'What the model is charged by. Prices of tokens are per 1,000,000 of them.',
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
      description: 'An image of the default size and quality; left out where the provider chooses those.',
    }),
  ),
  image_prices: Type.Optional(Type.Array(ImagePrice)),
  per_second: Type.Optional(
    Type.String({ ...DecimalString, description: 'A second of video in the default resolution.' }),
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
