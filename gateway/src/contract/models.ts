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

export const ModelPricing = Type.Object({
  currency: Type.Literal('unit'),
  per: Type.Literal('1000000_tokens'),
  input: price,
  output: price,
  cached_input: price,
  cache_write: price,
  batch_input: price,
  batch_output: price,
  per_image: price,
  per_second: price,
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
