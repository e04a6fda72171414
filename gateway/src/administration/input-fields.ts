/**
 * The fields that inputs of operations are made of, each declared once. A description says which values are allowed,
 * as a phrase that can follow "it must be": errors are made of it.
 */
import { type TProperties, Type } from 'typebox';
import { PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN } from '../access/passwords.ts';
import { EMAIL } from '../access/person.ts';
import { PROJECT_ID } from '../access/projects.store.ts';
import { type Instant, kstOf } from '../kernel/time.ts';
import { parseUnits, printUnits, type Units } from '../kernel/units.ts';
import { AdminError } from './admin-error.ts';

/** Fields that are not declared are rejected, so that a misspelt one is noticed. */
export function fields<Properties extends TProperties>(properties: Properties) {
  return Type.Object(properties, { additionalProperties: false });
}

export const SpaceName = Type.String({
  pattern: '^[a-z0-9][a-z0-9-]{0,62}$',
  description:
    'The name of a space: 1 to 63 lower-case letters, digits or hyphens, not beginning with a hyphen.',
  examples: ['acme'],
});

/** May be left out while there is only one space. */
export const inSpace = { space: Type.Optional(SpaceName) };

export const Label = Type.String({
  pattern: '^[^\\p{C}]{1,120}$',
  description: '1 to 120 characters on one line.',
});

export const Note = Type.Optional(Label);

export const Email = Type.String({
  pattern: EMAIL.source,
  description: 'An e-mail address.',
  examples: ['kim@example.com'],
});

/** access/passwords.ts checks its length when it is hashed. */
export const Password = Type.String({
  minLength: 1,
  maxLength: 1_000,
  writeOnly: true,
  description: `${PASSWORD_CHARACTERS_MIN} to ${PASSWORD_CHARACTERS_MAX} characters.`,
});

export const ProjectId = Type.String({
  pattern: PROJECT_ID.source,
  description:
    'The id of a project: 1 to 63 lower-case letters, digits or hyphens, not beginning with a hyphen.',
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

export const ListLimit = Type.Optional(whole({ min: 1, max: 1_000 }));
export const LIST_LIMIT_DEFAULT = 20;

const AMOUNT_CHARACTERS_MAX = 60;

/** Money is decimal text: no JSON number holds 12 decimals. Read it with `unitsOf`. */
export const Amount = Type.String({
  maxLength: AMOUNT_CHARACTERS_MAX,
  description: 'A decimal number as text, such as "12.5".',
  examples: ['12.5'],
});

export const MonthLimit = Type.Union([Amount, Type.Null()], {
  description: 'A decimal number of units as text, such as "12.5", or null for no limit.',
});

/** Reads an amount of money; the schema has only seen that it is a text. */
export function unitsOf(
  amount: string,
  { field = 'amount', least = 'above 0' }: { field?: string; least?: 'above 0' | '0 or more' } = {},
): Units {
  try {
    const units = parseUnits(amount);
    if (units > 0n || (units === 0n && least === '0 or more')) return units;
  } catch {
    // Answered below, with all other amounts that make no sense.
  }
  const must = least === 'above 0' ? 'a decimal number above 0' : 'a decimal number, 0 or more';
  throw new AdminError(`${field} ${JSON.stringify(amount)} is not valid: it must be ${must}, such as 12.5.`);
}

export function monthLimitOf({ month_limit }: { month_limit: string | null }): Units | null {
  return month_limit === null ? null : unitsOf(month_limit, { field: 'month_limit' });
}

export function shownLimit(limit: Units | null): string {
  return limit === null ? 'none' : printUnits(limit);
}

export const Time = Type.String({
  format: 'date-time',
  description: 'A time with its zone, such as 2026-12-31T18:00:00+09:00.',
  examples: ['2026-12-31T23:59:59+09:00'],
});

/** Reads when something expires. */
export function futureTime(time: string, now: Instant): Instant {
  const instant = Date.parse(time);
  if (instant > now) return instant;
  throw new AdminError(`The time ${time} is in the past: choose one after ${kstOf(now)}.`);
}
