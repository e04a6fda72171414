/** What units are worth in a currency, beside reports in units. */
import { Type } from 'typebox';
import { shape, text } from './fields.ts';

export const Worth = shape('An amount of units in a currency.', {
  currency: text('The currency, as a code of ISO 4217.'),
  amount: text('The amount, rounded once, half to even, to the digits of the currency.'),
  per_unit: text('What one unit is worth: an exact decimal.'),
});

export function worthOrNull(description: string) {
  return Type.Union([Worth, Type.Null()], {
    description: `${description} Null: the installation does not state what units are worth.`,
  });
}
