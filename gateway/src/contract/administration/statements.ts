/** The shape of the statement of a month. */
import { Type } from 'typebox';
import { described } from '../schema.ts';
import { count, orNull, shape, text, timeOf, units } from './fields.ts';
import { movementKinds } from './words.ts';
import { worthOrNull } from './worth.ts';

export const PeriodBalance = shape('A balance at some time.', {
  promo: units('Promo units held.'),
  paid: units('Paid units held.'),
  total: units('All units held.'),
  overage: units('What the space owes.'),
});

const charged = {
  requests: count('The number of requests in the month.'),
  unpriced: count('How many of them have an unknown cost, which is part of no sum.'),
  charges: units('What they were charged when they ended.'),
  corrections: units('Corrections that were made in the month, also of requests of other months.'),
  amount: units('Charges plus corrections.'),
};

export const CorrectedMonth = shape('Corrections that belong to another month.', {
  month: text('The other calendar month (KST).'),
  entries: count('How many journal entries they are.'),
  amount: units('Their sum; negative: units were given back.'),
});

export const Statement = shape('The statement of a month.', {
  space: text('The name of the space.'),
  month: text('The calendar month (KST).'),
  period_start: timeOf('When the month starts.'),
  period_end: timeOf('When the next month starts.'),
  opening: described(PeriodBalance, 'The balance at the start of the month.'),
  lines: Type.Array(
    Type.Object({
      kind: Type.Enum(movementKinds, { description: 'The kind of movement.' }),
      source: orNull(text('What was charged: calls, batches, videos, or opening. Null: not a charge.')),
      entries: count('How many journal entries it sums up.'),
      amount: units('What was given, charged, expired or invoiced.'),
      promo: units('The change of promo units.'),
      paid: units('The change of paid units.'),
      overage: units('The change of what is owed.'),
    }),
    { description: 'Every kind of movement; opening plus all lines is closing.' },
  ),
  closing: described(
    PeriodBalance,
    'The balance at the end of the month; of the current month, the balance now.',
  ),
  charged: units('The sum of charges and corrections.'),
  models: Type.Array(Type.Object({ model: text('The model.'), ...charged }), {
    description: 'What was charged by model, highest amount first. The amounts add up to `charged`.',
  }),
  keys: Type.Array(
    Type.Object({
      key: text('The name of the key.'),
      id: text('The id of the key.'),
      member: orNull(text('The e-mail address of the owner of a personal key. Null: shared.')),
      ...charged,
    }),
    { description: 'What was charged by key, highest amount first. The amounts add up to `charged`.' },
  ),
  usage: Type.Object(
    {
      cost: units('What usage reports say of the month.'),
      corrected_elsewhere: units('Corrections of calls of this month that were made in a later month.'),
      corrected_in: Type.Array(CorrectedMonth, { description: 'The same, by the month they were made in.' }),
      corrections_of_other_months: units('Corrections made in this month, of calls of earlier months.'),
      corrections_of: Type.Array(CorrectedMonth, { description: 'The same, by the month of the calls.' }),
    },
    { description: 'How the charges agree with the usage reports.' },
  ),
  worth: worthOrNull('What `charged` is worth at the rate of the start of the month.'),
});
