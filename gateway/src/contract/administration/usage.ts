/** What a space used, and what it holds and owes. */
import { Type } from 'typebox';
import { BalanceRecord } from '../platform.ts';
import { type AdminEndpoint, IN_SPACE, operation } from './admin-endpoint.ts';
import { count, fields, MonthText, orNull, text, timeOf, units } from './fields.ts';
import { listQuery, pageOf } from './lists.ts';
import { keyKinds, usageDimensions } from './words.ts';

export const usageEndpoints = {
  'reports.usage': {
    ...operation('GET', `${IN_SPACE}/usage`, 'member'),
    summary: 'Get what a space used in a calendar month (KST), by model, key, member or day.',
    query: fields({
      month: MonthText,
      by: Type.Enum(usageDimensions, { description: 'What the rows stand for.' }),
    }),
    response: Type.Object({
      space: text('The name of the space.'),
      month: text('The calendar month (KST).'),
      period_start: timeOf('When the month starts.'),
      period_end: timeOf('When the next month starts.'),
      by: Type.Enum(usageDimensions, { description: 'What the rows stand for.' }),
      rows: Type.Array(
        Type.Object({
          name: text('The model, key, member or day.'),
          requests: count('The number of requests.'),
          unpriced: count('How many of them have an unknown cost.'),
          cost: units('The units they cost.'),
        }),
        { description: 'The highest cost first; days in their order.' },
      ),
      total: Type.Object(
        {
          requests: count('The number of requests.'),
          unpriced: count('How many of them have an unknown cost.'),
          cost: units('The units they cost: the exact sum of the rows.'),
        },
        { description: 'The sum of all rows.' },
      ),
    }),
    csv: true,
    problems: [],
  },
  'usage.days': {
    ...operation('GET', `${IN_SPACE}/usage/days`, 'member'),
    summary: 'Get what each model used on each day of a calendar month (KST).',
    query: fields({ month: MonthText }),
    response: Type.Object({
      month: text('The calendar month (KST).'),
      rows: Type.Array(
        Type.Object({
          day: text('The day (KST) as YYYY-MM-DD.'),
          model: text('The model.'),
          requests: count('The number of requests.'),
          unpriced: count('How many of them have an unknown cost.'),
          cost: units('The units they cost.'),
        }),
        { description: 'In the order of days and models; days without usage have no row.' },
      ),
    }),
    csv: true,
    problems: [],
  },
  'usage.keys': {
    ...operation('GET', `${IN_SPACE}/usage/keys`, 'member'),
    summary: 'List what each key used in a calendar month (KST), highest cost first.',
    query: listQuery({ month: MonthText }),
    response: pageOf(
      Type.Object({
        key: text('The name of the key.'),
        id: text('The id of the key.'),
        kind: Type.Enum(keyKinds, { description: 'The kind of the key.' }),
        member: orNull(text('The e-mail address of the owner of a personal key. Null: shared.')),
        requests: count('The number of requests.'),
        unpriced: count('How many of them have an unknown cost.'),
        cost: units('The units they cost.'),
        last_used_at: orNull(timeOf('When it was last used. Null: never.')),
      }),
      'The keys, highest cost first.',
    ),
    csv: true,
    problems: [],
  },
  'reports.balance': {
    ...operation('GET', `${IN_SPACE}/balance`, 'member'),
    summary: 'Get the units a space holds and owes.',
    response: Type.Object({ space: text('The name of the space.'), ...BalanceRecord.properties }),
    problems: [],
  },
} as const satisfies Record<string, AdminEndpoint>;
