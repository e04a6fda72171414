import type { TagDocs } from '../operation-docs.ts';

const sums = {
  requests: 9,
  charge: '0.0241345',
  charge_unknown: 0,
  cost: '0.0193076',
  currency: 'USD',
  cost_unknown: 0,
  margin: '0.0048269',
};
const november = {
  provider: 'simulator',
  from: '2026-11-01T00:00:00Z',
  until: '2026-12-01T00:00:00Z',
};

const calls = ['createChatCompletion'] as const;

export const marginDocs: TagDocs = {
  tag: 'Margin',
  description: 'What providers bill beside what is charged. Only operators see it.',
  operations: {
    'reports.margin': {
      description:
        'One row per space, model or day (KST). Requests with an unknown charge or cost are counted and left out of the margin.',
      examples: [
        {
          title: 'By model',
          query: { by: 'model' },
          after: calls,
          answer: {
            month: '2026-11',
            by: 'model',
            units_per_currency: '1',
            rows: [{ name: 'sim-chat', ...sums }],
            totals: [sums],
          },
        },
      ],
      errors: {
        invalid_parameter: {
          detail: 'month "2026-13" is not valid: it must be a calendar month (KST) as YYYY-MM.',
          param: 'month',
          provoke: { query: { by: 'model', month: '2026-13' } },
        },
      },
    },
    'reports.providerDays': {
      description:
        "What the calls, batches and videos of a provider will cost by its price sheet, for each day (UTC), model and currency. `tollgate reconcile` compares it with the provider's export.",
      examples: [
        {
          title: 'A month',
          query: november,
          after: calls,
          answer: {
            provider: 'simulator',
            rows: [
              {
                day: '2026-11-16',
                model: 'sim-chat',
                currency: 'USD',
                requests: 9,
                unknown: 0,
                estimated: 0,
                cost: '0.0193076',
                tools: [],
              },
            ],
          },
        },
      ],
    },
    'reports.providerWork': {
      description:
        'The calls, batches and videos behind a row of the list above. A batch has a row for each currency and version of the price sheet.',
      examples: [
        {
          title: 'The calls of a model',
          query: { ...november, model: 'sim-chat', limit: 1000 },
          after: calls,
          answer: {
            data: [
              {
                id: 'req_01kxn3q8v2m7r5t9w4y6z8b1c3',
                kind: 'call',
                started_at: '2026-11-16T09:12:41+09:00',
                ended_at: '2026-11-16T09:12:44+09:00',
                requests: 1,
                input_tokens: 1200,
                cached_input_tokens: 0,
                cache_write_tokens: 0,
                output_tokens: 310,
                tools: null,
                usage_source: 'provider',
                cost: '0.00214',
                currency: 'USD',
                price_version: 'demo-1',
                unknown: 0,
              },
            ],
            next_cursor: null,
          },
        },
      ],
      errors: {
        invalid_parameter: {
          detail: 'limit 0 is not valid: it must be a whole number from 1 to 1000: the most items of a page.',
          param: 'limit',
          provoke: { query: { ...november, model: 'sim-chat', limit: 0 } },
        },
      },
    },
  },
};
