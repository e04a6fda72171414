import type { TagDocs } from '../operation-docs.ts';

export const pricesDocs: TagDocs = {
  tag: 'Prices',
  description: 'What the price sheet does not cover.',
  operations: {
    'prices.missing': {
      description:
        'What the price sheet lacked: of calls whose cost is unknown, and of requests that were rejected with `price_missing` before they were sent. Add the prices under a new version; the next calls have a cost. A call that was made before gets one with `ledger.correct`, or is forgiven with `ledger.forgive`.',
      examples: [
        {
          title: 'A model without prices',
          answer: {
            data: [
              {
                model: 'sim-preview',
                missing: 'model',
                calls: 12,
                rejected: 0,
                first_at: '2026-11-02T09:12:44+09:00',
                last_at: '2026-11-15T17:03:20+09:00',
              },
              {
                model: 'sim-chat',
                missing: 'tier:priority',
                calls: 0,
                rejected: 3,
                first_at: '2026-11-14T10:40:01+09:00',
                last_at: '2026-11-14T10:41:37+09:00',
              },
            ],
            complete: true,
          },
        },
      ],
    },
  },
};
