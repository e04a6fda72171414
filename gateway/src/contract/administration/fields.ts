/**
 * The fields that requests of administration are made of, each declared once. The first sentence of a description says
 * which values are allowed, as a phrase that can follow "it must be": errors are made of it.
 */
import { type TProperties, type TSchema, Type } from 'typebox';
import { described } from '../schema.ts';
import { TAGS_CHARACTERS_MAX } from '../tags.ts';
import { ALIAS_NAME, COUNT_MAX, EMAIL } from './words.ts';

export const PROJECT_ID = /^[a-z0-9][a-z0-9-]{0,62}$/;
export const PASSWORD_CHARACTERS_MIN = 10;
export const PASSWORD_CHARACTERS_MAX = 200;

/** Fields that are not declared are rejected, so that a misspelt one is noticed. */
export function fields<Properties extends TProperties>(properties: Properties) {
  return Type.Object(properties, { additionalProperties: false });
}

/** A body. */
export function request<Properties extends TProperties>(description: string, properties: Properties) {
  return Type.Object(properties, { additionalProperties: false, description });
}

/** What an answer consists of. */
export function shape<Properties extends TProperties>(description: string, properties: Properties) {
  return Type.Object(properties, { description });
}

/** The same field, and what it is for: a sentence after the one about its values. */
export function withUse<Field extends TSchema>(field: Field, use: string): Field {
  return described(field, `${(field as { description?: string }).description} ${use}`);
}

/** A filter of a list. `keeps` says what is listed then. */
export function filter<Field extends TSchema>(field: Field, keeps: string) {
  return Type.Optional(withUse(field, keeps));
}

export const SpaceName = Type.String({
  pattern: '^[a-z0-9][a-z0-9-]{0,62}$',
  description:
    'The name of a space: 1 to 63 lower-case letters, digits or hyphens, not beginning with a hyphen.',
  examples: ['acme'],
});

/** In a path or a call, a space is named or given by its id. */
export const SpaceRef = Type.String({
  pattern: '^(?:[a-z0-9][a-z0-9-]{0,62}|spc_[0-9a-z]{26})$',
  description: 'The name of a space, such as acme, or its id, which begins with spc_.',
  examples: ['acme'],
});

export const Label = Type.String({
  pattern: '^[^\\p{C}]{1,120}$',
  description: '1 to 120 characters on one line.',
});

/** Clients remove the segments . and .. from a path, so that a key of this name could not be addressed. */
export const KeyName = Type.String({
  pattern: '^(?!\\.{1,2}$)[^\\p{C}]{1,120}$',
  description: '1 to 120 characters on one line, other than . and ..',
});

export const AliasName = Type.String({
  pattern: ALIAS_NAME.source,
  description:
    'The name of an alias: 1 to 63 letters, digits, dots, hyphens or underscores, beginning with a letter or digit.',
  examples: ['fast'],
});

export const Note = Type.Optional(withUse(Label, 'Your reason or reference, shown wherever this is listed.'));

export const Email = Type.String({
  pattern: EMAIL.source,
  description: 'An e-mail address.',
  examples: ['kim@example.com'],
});

export const Password = Type.String({
  minLength: PASSWORD_CHARACTERS_MIN,
  maxLength: PASSWORD_CHARACTERS_MAX,
  writeOnly: true,
  description: `${PASSWORD_CHARACTERS_MIN} to ${PASSWORD_CHARACTERS_MAX} characters.`,
});

export const ProjectId = Type.String({
  pattern: PROJECT_ID.source,
  description:
    'The id of a project: 1 to 63 lower-case letters, digits or hyphens, not beginning with a hyphen.',
  examples: ['shop'],
});

/** Which ids a space has. The hyphen keeps `shop-*` from covering the ids of a neighbour, such as `shopping`. */
export const ProjectIds = Type.String({
  pattern: '^[a-z0-9](?:[a-z0-9-]{0,62}|[a-z0-9-]{0,60}-\\*)$',
  description:
    'The id of a project, such as shop, or a prefix that ends with -*, such as shop-*, for all ids that begin with it.',
  examples: ['shop-*'],
});

/** An id that the gateway generated, such as `req_…`. */
export function generatedId(prefix: string) {
  return Type.String({
    pattern: `^${prefix}_[0-9a-z]{26}$`,
    description: `An id that begins with ${prefix}_.`,
  });
}

export function whole({ min, max }: { min: number; max: number }) {
  return Type.Integer({
    minimum: min,
    maximum: max,
    description: `A whole number from ${min} to ${max}.`,
  });
}

export const Switch = Type.Boolean({ description: 'True or false.' });

/** Of operations that take rights away from a person. */
export const KeepTokens = Type.Optional(
  withUse(
    Switch,
    'True: administration tokens to which the person loses the right continue, and you answer for them. Default: false, they end.',
  ),
);

const AMOUNT_CHARACTERS_MAX = 60;

/** Money is decimal text: no JSON number holds 12 decimals. */
export const Amount = Type.String({
  maxLength: AMOUNT_CHARACTERS_MAX,
  description: 'A decimal number as text, such as "12.5".',
  examples: ['12.5'],
});

export const AmountOrNone = Type.Union([Amount, Type.Null()], {
  description: 'A decimal number of units as text, such as "12.5", or null for no limit.',
});

const COUNT = { min: 1, max: COUNT_MAX };

export const CountOrNone = Type.Union([whole(COUNT), Type.Null()], {
  description: `A whole number from ${COUNT.min} to ${COUNT.max}, or null for no limit.`,
});

export const Time = Type.String({
  format: 'date-time',
  description: 'A time with its zone, such as 2026-12-31T18:00:00+09:00.',
  examples: ['2026-12-31T23:59:59+09:00'],
});

export const MonthText = Type.Optional(
  Type.String({
    pattern: '^\\d{4}-(?:0[1-9]|1[0-2])$',
    description: 'A calendar month (KST) as YYYY-MM. Default: the current month.',
    examples: ['2026-11'],
  }),
);

const MODELS_MAX = 100;

export const AllowedModels = Type.Union(
  [
    Type.Array(Type.String({ pattern: '^[^\\s,\\p{C}]{1,100}$' }), { minItems: 1, maxItems: MODELS_MAX }),
    Type.Null(),
  ],
  { description: `A list of 1 to ${MODELS_MAX} model codes, or null for all models.` },
);

export const TagsOrNone = Type.Union([Type.String({ maxLength: TAGS_CHARACTERS_MAX }), Type.Null()], {
  description: 'Tags as key=value, separated by commas, such as team=search,feature=chat, or null for none.',
});

/** A time in a response, in Korean time, because months and limits are. */
export function timeOf(description: string) {
  return Type.String({ format: 'date-time', description, examples: ['2026-11-16T09:00:00+09:00'] });
}

export function orNull<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()], {
    ...('description' in schema && { description: schema.description as string }),
  });
}

export function units(description: string) {
  return Type.String({ description, examples: ['0.0125'] });
}

export function text(description: string) {
  return Type.String({ description });
}

export function count(description: string) {
  return Type.Integer({ description });
}

export function yes(description: string) {
  return Type.Boolean({ description });
}
