import type { TagDocs } from './operation-docs.ts';

export const platformDocs: TagDocs = {
  tag: 'Usage and balance',
  description: 'What a space used and what it has left, for its own management key.',
  operations: {
    getUsage: {
      description:
        'Sums of a calendar month (KST), to the last decimal. The sums by model and by key each add up to the total.',
      examples: [
        {
          title: 'This month',
          after: ['createChatCompletion', 'createEmbedding'],
          answer: {
            periodStart: '2026-11-01T00:00:00+09:00',
            periodEnd: '2026-12-01T00:00:00+09:00',
            totalCostUsage: '0.0241348',
            totalRequestCount: 10,
            activeVirtualKeyCount: 1,
            costsByModel: [
              { model: 'sim-chat', cost: '0.0241345', requestCount: 9 },
              { model: 'sim-embed', cost: '0.0000003', requestCount: 1 },
            ],
            costsByVirtualKey: [
              { virtualKeyName: 'demo', creatorNickname: 'demo', cost: '0.0241348', requestCount: 10 },
            ],
          },
        },
      ],
    },
    getBalance: {
      description:
        'Promo units are used first, then paid units, then overage if the space may have it. `blocked` says whether a charged call would be rejected now.',
      examples: [
        {
          title: 'A space with units',
          answer: {
            held: { promo: '9.9758652', paid: '100', total: '109.9758652' },
            overage: { accrued: '0', allowed: true },
            blocked: false,
          },
        },
      ],
    },
  },
};
