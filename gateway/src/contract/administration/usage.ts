/** What a space used, and what it holds and owes. */
import { Type } from 'typebox';
import { BalanceRecord } from '../platform.ts';
import { type AdminEndpoint, IN_SPACE, operation } from './admin-endpoint.ts';
import { count, fields, MonthText, text, timeOf, units } from './fields.ts';

export const usageEndpoints = {
  'reports.usage': {
    ...operation('GET', `${IN_SPACE}/usage`, 'member'),
    summary: 'Get what a space used in a calendar month (KST), by model, key, member or day.',
    query: fields({
      month: MonthText,
      by: Type.Enum(['model', 'key', 'member', 'day'], { description: 'What the rows stand for.' }),
    }),
    response: Type.Object({
      space: text('The name of the space.'),
      month: text('The calendar month (KST).'),
      period_start: timeOf('When the month starts.'),
      period_end: timeOf('When the next month starts.'),
      by: Type.Enum(['model', 'key', 'member', 'day'], { description: 'What the rows stand for.' }),
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
  'reports.balance': {
    ...operation('GET', `${IN_SPACE}/balance`, 'member'),
    summary: 'Get the units a space holds and owes.',
    response: Type.Object({ space: text('The name of the space.'), ...BalanceRecord.properties }),
    problems: [],
  },
} as const satisfies Record<string, AdminEndpoint>;
