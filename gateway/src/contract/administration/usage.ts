/** What a space used, and what it holds and owes. */
import { Type } from 'typebox';
import { BalanceRecord } from '../platform.ts';
import { type AdminEndpoint, IN_SPACE, operation } from './admin-endpoint.ts';
import { count, fields, MonthText, orNull, shape, text, timeOf, units } from './fields.ts';
import { listQuery, pageOf } from './lists.ts';
import { USAGE_DIMENSION, USAGE_DIMENSIONS_SHOWN, usageKinds } from './usage-dimensions.ts';
import { keyKinds } from './words.ts';
import { worthOrNull } from './worth.ts';

const UsageDimension = Type.String({
  pattern: USAGE_DIMENSION.source,
  description: `One of ${USAGE_DIMENSIONS_SHOWN}.`,
  examples: ['model', 'tag:team'],
});

export const UsageReport = shape('What a space used in a month.', {
  space: text('The name of the space.'),
  month: text('The calendar month (KST).'),
  period_start: timeOf('When the month starts.'),
  period_end: timeOf('When the next month starts.'),
  by: text('What the rows stand for.'),
  and: orNull(text('What they stand for besides. Null: nothing.')),
  rows: Type.Array(
    Type.Object({
      name: text('The model, key, member, day, tag, end user or session.'),
      kind: Type.Enum(usageKinds, {
        description:
          '`untagged`: requests without one. `other`: requests with one that is not reported by name.',
      }),
      and_name: orNull(text('The same of `and`. Null: there is none.')),
      and_kind: orNull(Type.Enum(usageKinds, { description: 'The same of `and`.' })),
      requests: count('The number of requests.'),
      unpriced: count('How many of them have an unknown cost.'),
      cost: units('The units they cost.'),
      key_id: orNull(
        text('The id of the key, whose name can be used again after it is revoked. Null: not a key.'),
      ),
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
  worth: worthOrNull('What the cost of `total` is worth at the rate of the start of the month.'),
});

export const DailyUsage = shape('What each model used on each day of a month.', {
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
});

export const DimensionsInUse = shape(
  'What the usage of a month can be reported under besides model, key, member and day.',
  {
    month: text('The calendar month (KST).'),
    dimensions: Type.Array(text('`end_user`, `session` or `tag:<key>`.'), {
      description: 'Those that a request of the month has a value of, in alphabetical order.',
    }),
  },
);

export const KeyUsage = shape('What a key used in a month.', {
  key: text('The name of the key.'),
  id: text('The id of the key.'),
  kind: Type.Enum(keyKinds, { description: 'The kind of the key.' }),
  member: orNull(text('The e-mail address of the owner of a personal key. Null: shared.')),
  requests: count('The number of requests.'),
  unpriced: count('How many of them have an unknown cost.'),
  cost: units('The units they cost.'),
  last_used_at: orNull(timeOf('When it was last used. Null: never.')),
});

export const KeyUsagePage = pageOf(KeyUsage, 'The keys, highest cost first.');

export const SpaceBalance = shape('The units a space holds and owes.', {
  space: text('The name of the space.'),
  ...BalanceRecord.properties,
  worth: worthOrNull('What all units held are worth at the rate of today.'),
});

export const usageEndpoints = {
  'reports.usage': {
    ...operation('GET', `${IN_SPACE}/usage`, 'member'),
    summary: 'Get what a space used in a month, by one or two dimensions.',
    query: fields({
      month: MonthText,
      by: UsageDimension,
      and: Type.Optional(UsageDimension),
    }),
    response: UsageReport,
    csv: true,
  },
  'usage.days': {
    ...operation('GET', `${IN_SPACE}/usage/days`, 'member'),
    summary: 'Get what each model used on each day of a month.',
    query: fields({ month: MonthText }),
    response: DailyUsage,
    csv: true,
  },
  'usage.dimensions': {
    ...operation('GET', `${IN_SPACE}/usage/dimensions`, 'member'),
    summary: 'List the tags that the requests of a month have.',
    query: fields({ month: MonthText }),
    response: DimensionsInUse,
  },
  'usage.keys': {
    ...operation('GET', `${IN_SPACE}/usage/keys`, 'member'),
    summary: 'List what each key used in a month, highest cost first.',
    query: listQuery({ month: MonthText }),
    response: KeyUsagePage,
    csv: true,
  },
  'reports.balance': {
    ...operation('GET', `${IN_SPACE}/balance`, 'member'),
    summary: 'Get the units a space holds and owes.',
    response: SpaceBalance,
  },
} as const satisfies Record<string, AdminEndpoint>;
