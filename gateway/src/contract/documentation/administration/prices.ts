import type { TagDocs } from '../operation-docs.ts';

export const pricesDocs: TagDocs = {
  tag: 'Prices',
  description: 'What the price sheet does not cover.',
  operations: {
    'prices.missing': {
      description:
        'Calls whose cost is unknown, and what their price sheet lacked when they were made. Add the prices under a new version; the next calls have a cost.',
      examples: [{ title: 'Nothing is missing', answer: { data: [], complete: true } }],
    },
  },
};
