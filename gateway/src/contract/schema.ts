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
