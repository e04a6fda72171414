import { type TNull, type TSchema, type TUnion, Type } from 'typebox';

/** SDKs send `null` for "not given", so optional fields of a request allow it. */
export function nullable<Schema extends TSchema>(schema: Schema): TUnion<[Schema, TNull]> {
  return Type.Union([schema, Type.Null()]);
}

/** A decimal amount. Published as a pattern; never run on input, because it is slow on hostile text. */
export const DecimalString = Type.String({
  pattern: '^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$',
  examples: ['0.00125'],
});

export const METADATA_PAIRS_MAX = 16;

/** Words of the caller's own that are kept with a thing and shown again. */
export const Metadata = Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 512 }), {
  maxProperties: METADATA_PAIRS_MAX,
});
