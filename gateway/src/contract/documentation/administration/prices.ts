import type { TagDocs } from '../operation-docs.ts';

export const pricesDocs: TagDocs = {
  tag: 'Prices',
  description: 'What the price sheet does not cover.',
  operations: {
    'prices.missing': {
      description:
        'Calls whose cost is unknown, and what their price sheet lacked when they were made. Add the prices under a new version; the next calls have a cost.',
      examples: [
        {
          title: 'A model without prices',
          answer: {
            data: [
              {
                model: 'sim-preview',
                missing: 'model',
                calls: 12,
                first_at: '2026-11-02T09:12:44+09:00',
                last_at: '2026-11-15T17:03:20+09:00',
              },
            ],
            complete: true,
          },
        },
      ],
    },
  },
};
