import { CHARGED, chargedCall } from './charged-call.ts';
import { ExampleGiven } from './example-values.ts';
import type { TagDocs } from './operation-docs.ts';

export const keysAndReceiptsDocs: TagDocs = {
  tag: 'Keys and receipts',
  description: 'What a key has spent and may spend, and what each of its calls cost.',
  operations: {
    getKey: {
      description:
        'Shows what the calling key has spent in the current month (KST) and the limits that apply to it. It costs nothing, and works when the limits are reached.',
      examples: [
        {
          title: 'A personal key',
          answer: {
            object: 'key',
            id: 'key_01kdm5w3m7p1s5v9z3c7f1j5nr',
            name: 'demo',
            kind: 'personal',
            hint: 'sk_…apvV',
            month: '2026-11',
            spent: '0.4011775',
            reserved: '0',
            month_limit: null,
            resets_at: '2026-12-01T00:00:00+09:00',
            member: {
              ...{ email: 'demo@example.com', spent: '0.4011775', reserved: '0', month_limit: null },
              ...{ requests_per_minute: null, tokens_per_minute: null, expires_at: null },
            },
            models: null,
            requests_per_minute: null,
            tokens_per_minute: null,
            space: { name: 'demo', requests_per_minute: null, tokens_per_minute: null },
            expires_at: '2027-02-14T14:13:24+09:00',
            disabled: false,
          },
        },
      ],
    },
    getReceipt: {
      description:
        'Shows how the cost of a call, a line of a batch or a video was counted: its usage, the price of each component, and later corrections. A line of a batch has a receipt once its batch is settled.',
      path: {
        request_id:
          'The `x-request-id` of the call, the `request_id` of a line of a batch, or the id of a video job.',
      },
      examples: [
        {
          title: 'A charged call',
          path: { request_id: new ExampleGiven('request id', CHARGED) },
          answer: {
            id: CHARGED,
            object: 'receipt',
            ...chargedCall,
            current_cost: '0.0002975',
          },
        },
      ],
      errors: {
        receipt_not_found: {
          detail: 'There is no receipt "req_unknown" that this key can read.',
          param: 'request_id',
          provoke: { path: { request_id: 'req_unknown' } },
        },
      },
    },
  },
};
