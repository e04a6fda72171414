/** The section `money` of `tollgate.yaml`: what a unit is worth. */
import { type Static, Type } from 'typebox';
import { about, closed } from '../yaml/about-key.ts';

const AMOUNT = '^\\d{1,20}(\\.\\d{1,12})?$';

const RateEntry = Type.Object(
  {
    from: Type.Optional(
      Type.String({
        pattern: '^\\d{4}-\\d{2}-\\d{2}$',
        ...about('The day (KST) from which the rate is valid, until that of the next one.', {
          otherwise: 'always, in the first entry only',
          example: '2026-11-01',
        }),
      }),
    ),
    per_unit: Type.String({
      pattern: AMOUNT,
      ...about('What one unit is worth.', { example: '0.92' }),
    }),
  },
  { ...closed },
);

export const MoneyEntry = Type.Object(
  {
    currency: Type.String({
      pattern: '^[A-Z]{3}$',
      ...about('The currency, as a code of ISO 4217. Amounts are rounded to its digits.', {
        example: 'EUR',
      }),
    }),
    per_unit: Type.Optional(
      Type.String({
        pattern: AMOUNT,
        ...about('What one unit is worth, at all times.', {
          otherwise: 'rates',
          example: '0.92',
        }),
      }),
    ),
    rates: Type.Optional(
      Type.Array(RateEntry, {
        minItems: 1,
        ...about('What one unit is worth from which day on, instead of per_unit.', {
          otherwise: 'per_unit',
        }),
      }),
    ),
  },
  {
    ...closed,
    ...about(
      'What a unit is worth: amounts in a currency are shown beside units. Without it there are none.',
    ),
  },
);
export type MoneyEntry = Static<typeof MoneyEntry>;

/** What a text should have been that has a wrong form. */
export function moneyForm(path: string): string {
  if (path.endsWith('.from')) return 'must be a day, such as 2026-11-01';
  return path.endsWith('.currency')
    ? 'must be a code of three capital letters, such as EUR'
    : 'must be a decimal number that is not negative, with at most 12 places';
}
