import { type TNull, type TSchema, type TUnion, Type } from 'typebox';

/** SDKs send `null` for "not set", so optional request fields allow it. */
export function nullable<Schema extends TSchema>(schema: Schema): TUnion<[Schema, TNull]> {
  return Type.Union([schema, Type.Null()]);
}

/** A decimal amount. The pattern is for the API description only, because it is slow on hostile input. */
export const DecimalString = Type.String({
  pattern: '^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$',
  examples: ['0.00125'],
});

export const METADATA_PAIRS_MAX = 16;

/** Key-value pairs of the caller, stored with an object and returned with it. */
export const Metadata = Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 512 }), {
  maxProperties: METADATA_PAIRS_MAX,
});
