import { type TNull, type TOptional, type TSchema, type TUnion, Type } from 'typebox';

/** SDKs send `null` for "not set", so optional request fields allow it. */
export function nullable<Schema extends TSchema>(schema: Schema): TUnion<[Schema, TNull]> {
  return Type.Union([schema, Type.Null()]);
}

/** A request field that may be left out or null. */
export function optionalField<Schema extends TSchema>(schema: Schema): TOptional<TUnion<[Schema, TNull]>> {
  return Type.Optional(nullable(schema));
}

/** The same schema with another description. */
export function described<Schema extends TSchema>(schema: Schema, description: string): Schema {
  const fields = Object.getOwnPropertyDescriptors(schema);
  const value = { value: description, enumerable: true, configurable: true, writable: true };
  return Object.defineProperties({}, { ...fields, description: value }) as Schema;
}

/** A decimal amount. The pattern is for the API description only, because it is slow on hostile input. */
export const DecimalString = Type.String({
  pattern: '^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$',
  description: 'A decimal number as text, so that no digit is lost.',
  examples: ['0.00125'],
});

/** Why something failed, within an object that is answered with 200. */
export const ErrorSummary = Type.Object(
  {
    code: Type.String({ description: 'The error code.' }),
    message: Type.String({ description: 'What went wrong and what to do.' }),
  },
  { description: 'Why it failed; null if it did not.' },
);

export const METADATA_PAIRS_MAX = 16;

/** Key-value pairs of the caller, stored with an object and returned with it. */
export const Metadata = Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 512 }), {
  maxProperties: METADATA_PAIRS_MAX,
  description: 'Up to 16 texts of your own, returned with the object. A name has at most 64 characters.',
});
