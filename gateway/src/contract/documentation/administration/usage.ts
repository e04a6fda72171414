import type { TagDocs } from '../operation-docs.ts';
import { demo, LAST_PAGE, OWNER } from './places.ts';

const period = {
  month: '2026-11',
  period_start: '2026-11-01T00:00:00+09:00',
  period_end: '2026-12-01T00:00:00+09:00',
};
const invalidMonth = {
  detail: 'month "2026-13" is not valid: it must be a calendar month (KST) as YYYY-MM.',
  param: 'month',
};
const calls = ['createChatCompletion', 'createEmbedding'] as const;

export const usageDocs: TagDocs = {
  tag: 'Usage',
  description: 'What a space used in a calendar month (KST), and what it holds and owes.',
  operations: {
    'reports.usage': {
      description:
        'One row per model, key, member or day. The rows add up to the total, to the last decimal. A member sees what their own keys used.',
      examples: [
        {
          title: 'By model',
          path: demo,
          query: { by: 'model' },
          after: calls,
          answer: {
            space: 'demo',
            ...period,
            by: 'model',
            rows: [
              { name: 'sim-chat', requests: 9, unpriced: 0, cost: '0.0241345', key_id: null },
              { name: 'sim-embed', requests: 1, unpriced: 0, cost: '0.0000003', key_id: null },
            ],
            total: { requests: 10, unpriced: 0, cost: '0.0241348' },
          },
        },
        {
          title: 'By key',
          path: demo,
          query: { by: 'key' },
          after: calls,
          answer: {
            space: 'demo',
            ...period,
            by: 'key',
            rows: [
              {
                name: 'demo',
                requests: 10,
                unpriced: 0,
                cost: '0.0241348',
                key_id: 'key_01kdm5w2k6s8w2a6d0h4k8n2rt',
              },
            ],
            total: { requests: 10, unpriced: 0, cost: '0.0241348' },
          },
        },
      ],
      errors: {
        invalid_parameter: { ...invalidMonth, provoke: { query: { by: 'model', month: '2026-13' } } },
      },
    },
    'usage.days': {
      description: 'One row per day and model that has usage. A member sees what their own keys used.',
      examples: [
        {
          title: 'The current month',
          path: demo,
          after: calls,
          answer: {
            month: '2026-11',
            rows: [
              { day: '2026-11-16', model: 'sim-chat', requests: 9, unpriced: 0, cost: '0.0241345' },
              { day: '2026-11-16', model: 'sim-embed', requests: 1, unpriced: 0, cost: '0.0000003' },
            ],
          },
        },
      ],
      errors: { invalid_parameter: { ...invalidMonth, provoke: { query: { month: '2026-13' } } } },
    },
    'usage.keys': {
      description: 'Also lists keys that are revoked by now. A member sees their own keys.',
      examples: [
        {
          title: 'The current month',
          path: demo,
          after: calls,
          answer: {
            data: [
              {
                key: 'demo',
                id: 'key_01kdm5w2k6s8w2a6d0h4k8n2rt',
                kind: 'personal',
                member: OWNER,
                requests: 10,
                unpriced: 0,
                cost: '0.0241348',
                last_used_at: '2026-11-16T14:13:24+09:00',
              },
            ],
            ...LAST_PAGE,
          },
        },
      ],
    },
    'reports.balance': {
      description: 'The same figures as `GET /v1/balance` with a management key of the space.',
      examples: [
        {
          title: 'A space with units',
          path: demo,
          answer: {
            space: 'demo',
            held: { promo: '9.9758652', paid: '100', total: '109.9758652' },
            overage: { accrued: '0', allowed: true },
            blocked: false,
          },
        },
      ],
    },
  },
};
