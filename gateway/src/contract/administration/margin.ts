/** Both sides of prices, for operators: what was charged, and what providers bill. */
import { Type } from 'typebox';
import { ADMIN_BASE, type AdminEndpoint, operation } from './admin-endpoint.ts';
import {
  Amount,
  count,
  fields,
  MonthText,
  orNull,
  shape,
  Time,
  text,
  timeOf,
  units,
  withUse,
} from './fields.ts';
import { listQuery, pageOf } from './lists.ts';
import { marginDimensions } from './words.ts';

const sides = {
  requests: count('The number of requests, without those that failed.'),
  charge: units('The units that were charged, with corrections.'),
  charge_unknown: count('How many requests have an unknown charge.'),
  cost: orNull(units('What providers bill, in their currency. Null: unknown.')),
  currency: orNull(text('The currency of the cost, such as `USD`. Null: unknown.')),
  cost_unknown: count('How many requests have an unknown cost.'),
  margin: orNull(
    units(
      'The charge minus the cost, in units, of requests whose charge and cost are known. Null: unknown, or the cost cannot be converted.',
    ),
  ),
};

export const MarginReport = shape('Cost, charge and margin of a month.', {
  month: text('The calendar month (KST).'),
  by: Type.Enum(marginDimensions, { description: 'What the rows stand for.' }),
  units_per_currency: orNull(
    units('How many units one unit of the currency is worth in this report. Null: unknown.'),
  ),
  rows: Type.Array(Type.Object({ name: text('The space, the model or the day (KST).'), ...sides }), {
    description: 'The highest charge first; days in their order.',
  }),
  totals: Type.Array(Type.Object(sides), {
    description:
      'The sums of all rows, one for each currency. Requests of unknown cost are part of the only one; if there are several, they have a sum of their own.',
  }),
});

export const ProviderTool = shape('What a provider will bill for a hosted tool.', {
  tool: text('The kind, such as `web_search`.'),
  requests: count('The number of requests that called it.'),
  calls: count('How often it was called.'),
  cost: units('What of the cost is for it.'),
});

export const ProviderDay = shape('What a provider will bill for a day of a model.', {
  day: text('The day (UTC) as YYYY-MM-DD, on which the requests ended.'),
  model: text('The model name at the provider.'),
  currency: orNull(text('The currency of the cost. Null: no cost is known, or several currencies are.')),
  requests: count('The number of requests and batch lines, without those that failed.'),
  unknown: count('How many of them have an unknown cost.'),
  estimated: count('How many of them have a usage that the provider did not report.'),
  cost: units('What the provider will bill for the others.'),
  tools: Type.Array(ProviderTool, {
    description: 'What of the cost is for tools that the provider runs. Lines of batches are not part of it.',
  }),
});

export const ProviderDays = shape('What a provider will bill for each of its days and models.', {
  provider: text('The provider.'),
  rows: Type.Array(ProviderDay, {
    description: 'In the order of days and models. Amounts in different currencies have different rows.',
  }),
});

export const ProviderWork = shape('A call, a batch or a video that a provider will bill.', {
  id: text('The id of the call, the batch or the video job.'),
  kind: Type.Enum(['call', 'batch', 'video'], { description: 'What it is.' }),
  started_at: timeOf('When it started.'),
  ended_at: timeOf('When it ended, which decides on its day.'),
  requests: count('1, or the number of lines of a batch.'),
  input_tokens: orNull(count('All prompt tokens. Null: not counted, or a batch or a video.')),
  cached_input_tokens: orNull(count('Those that were read from a cache.')),
  cache_write_tokens: orNull(count('Those that were written to a cache.')),
  output_tokens: orNull(count('All generated tokens.')),
  tools: orNull(
    Type.Record(Type.String(), count('How often.'), {
      description: 'Calls of tools that the provider runs, by kind. Null: none, or a batch or a video.',
    }),
  ),
  usage_source: orNull(text('Who counted: `provider`, `estimated` or `none`.')),
  cost: orNull(units('What the provider will bill. Null: unknown.')),
  currency: orNull(text('The currency of the cost.')),
  price_version: orNull(text("The version of the provider's price sheet.")),
  unknown: count('1 if the cost is unknown; of a batch, how many lines have an unknown cost.'),
});

export const ProviderWorkPage = pageOf(
  ProviderWork,
  'Calls, then videos, then batches; the newest of each first.',
);

const ProviderName = Type.String({
  pattern: '^[a-z0-9][a-z0-9_-]{0,62}$',
  description: 'The name of a provider in `tollgate.yaml`.',
  examples: ['openai'],
});

const period = {
  provider: ProviderName,
  from: withUse(Time, 'Only what ended at or after it counts.'),
  until: withUse(Time, 'Only what ended before it counts.'),
};

export const marginEndpoints = {
  'reports.margin': {
    ...operation('GET', `${ADMIN_BASE}/margin`, 'operator'),
    summary: 'Get cost, charge and margin of a month.',
    query: fields({
      month: MonthText,
      by: Type.Enum(marginDimensions, { description: 'What the rows stand for.' }),
      units_per_currency: Type.Optional(
        withUse(
          Amount,
          'How many units one unit of the currency is worth. Default: that of the price sheet.',
        ),
      ),
    }),
    response: MarginReport,
    csv: true,
  },
  'reports.providerDays': {
    ...operation('GET', `${ADMIN_BASE}/provider-costs`, 'operator'),
    summary: 'Get what a provider will bill for each day and model.',
    query: fields(period),
    response: ProviderDays,
    csv: true,
    problems: ['not_found'],
  },
  'reports.providerWork': {
    ...operation('GET', `${ADMIN_BASE}/provider-costs/work`, 'operator'),
    summary: 'List the work that a provider will bill.',
    query: listQuery({
      ...period,
      model: Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'The model name at the provider.',
      }),
      tool: Type.Optional(
        Type.String({
          pattern: '^[a-z0-9_]{1,60}$',
          description: 'Only calls that used this kind of hosted tool.',
          examples: ['web_search'],
        }),
      ),
    }),
    response: ProviderWorkPage,
    csv: true,
    problems: ['not_found'],
  },
} as const satisfies Record<string, AdminEndpoint>;
