import { ExampleGiven, ExampleResult } from '../example-values.ts';
import type { TagDocs } from '../operation-docs.ts';
import { acme, demo, LAST_PAGE } from './places.ts';

const noMoves = {
  ...{ issued: '0', promo: '0', paid: '0', overage: '0', spent: '0' },
  ...{ expired: '0', invoiced: '0', due: '0' },
};

export const unitsDocs: TagDocs = {
  tag: 'Units and books',
  description: 'Grants, invoices, corrections and the journal that proves them.',
  operations: {
    'invoices.list': {
      description: 'Each invoice cleared the overage of the space at its time.',
      examples: [
        {
          title: 'One invoice',
          path: { space: new ExampleResult('spaces.invoice', 'space') },
          answer: {
            data: [
              {
                id: 'inv_01kdm6b9w3z7d1g5k9n3r7u1ya',
                at: '2026-11-16T14:21:40+09:00',
                units: '0.0002975',
                note: 'INV-2026-0117',
                entry: 21,
              },
            ],
            ...LAST_PAGE,
          },
        },
      ],
    },
    'grants.list': {
      description:
        'Charges take promo units first, those that expire soonest before others, then paid units.',
      examples: [
        {
          title: 'Promo and paid units',
          path: demo,
          answer: {
            data: [
              {
                id: 'grt_01kdm5w2k7e1h5m9q3u7x1a5db',
                kind: 'promo',
                amount: '10',
                remaining: '9.9758652',
                expires_at: '2026-12-16T14:10:02+09:00',
                note: 'welcome',
                created_at: '2026-11-16T14:10:02+09:00',
              },
              {
                id: 'grt_01kdm5w2k7h8n2r6v0y4b8e2gk',
                kind: 'paid',
                amount: '100',
                remaining: '100',
                expires_at: null,
                note: 'demo',
                created_at: '2026-11-16T14:10:02+09:00',
              },
            ],
            ...LAST_PAGE,
          },
        },
      ],
    },
    'grants.add': {
      description:
        'The space can spend them at once. Paid units never expire; promo units do if `expires` is set. Overage stays owed until it is invoiced.',
      examples: [
        {
          title: 'Paid units',
          path: acme,
          body: { amount: '250', kind: 'paid', note: 'Order 4711' },
          answer: {
            id: 'grt_01kdm6e7c1g5j9n3r7v1z5b9ef',
            space: 'acme',
            kind: 'paid',
            amount: '250',
            expires_at: null,
          },
        },
        {
          title: 'Promo units that expire',
          path: acme,
          body: { amount: '12.5', kind: 'promo', expires: '2999-12-31T23:59:59+09:00' },
          answer: {
            id: 'grt_01kdm6e9f3k7n1r5u9y3b7d1gj',
            space: 'acme',
            kind: 'promo',
            amount: '12.5',
            expires_at: '2999-12-31T23:59:59+09:00',
          },
        },
      ],
      errors: {
        invalid_parameter: {
          detail: 'Paid units do not expire; leave expires out.',
          param: 'expires',
          provoke: { body: { amount: '250', kind: 'paid', expires: '2999-12-31T23:59:59+09:00' } },
        },
      },
    },
    'ledger.list': {
      description:
        'The journal is only ever appended to. Each entry moves units between accounts and sums to zero. Calls are charged at once (`charge`) and paid from units within seconds (`payment`).',
      examples: [
        {
          title: 'Charges',
          path: demo,
          query: { kind: 'charge', limit: 1 },
          after: ['createChatCompletion', 'createEmbedding'],
          answer: {
            data: [
              {
                entry: 13,
                at: '2026-11-16T14:13:24+09:00',
                kind: 'charge',
                ref: 'calls',
                ...noMoves,
                spent: '0.0002975',
                due: '-0.0002975',
                note: '',
              },
            ],
            next_cursor: 'WyJqb3VybmFsIGVudHJpZXMiLDE3OTQ4MDg4MTkzNDEsMiwiYWExYzdmYjciXQ',
          },
        },
      ],
    },
    'ledger.correct': {
      description:
        'The difference is credited or charged now, and the reports of the month of the call show the new cost. The receipt lists every correction. A failed call cannot be corrected.',
      examples: [
        {
          title: 'A wrong price',
          body: {
            call: new ExampleGiven('other request id', 'req_01kdm6f2j6m0q4t8w2a6d0g4kn'),
            amount: '0.0001',
            note: 'wrong price',
          },
          answer: { call: 'req_01kdm6f2j6m0q4t8w2a6d0g4kn', cost_before: '0.0002975', cost: '0.0001' },
        },
      ],
      errors: {
        invalid_parameter: {
          detail: 'amount "-1" is not valid: it must be a decimal number, 0 or more, such as 12.5.',
          param: 'amount',
          provoke: { body: { call: `req_${'0'.repeat(26)}`, amount: '-1' } },
        },
        not_found: {
          detail: `There is no charged call req_${'0'.repeat(26)}.`,
          param: 'call',
          provoke: { body: { call: `req_${'0'.repeat(26)}`, amount: '1' } },
        },
      },
    },
    'ledger.forgive': {
      description:
        'For requests that used something without a price, which nobody asked for. A call costs 0 from now on, as a correction with your note. The cost of a video stays unknown. Neither counts against units and limits any more.',
      examples: [
        {
          title: 'Everything that counts',
          path: demo,
          body: { note: 'a tier that the provider chose' },
          answer: { space: 'demo', requests: 0, units: '0', complete: true },
        },
      ],
      errors: {
        not_found: {
          detail: `demo has no request req_${'0'.repeat(26)} without a price.`,
          param: 'ref',
          provoke: { path: demo, body: { ref: `req_${'0'.repeat(26)}` } },
        },
      },
    },
    'ledger.verify': {
      description:
        'Recomputes the balances, charges and totals of all spaces from the journal. It reads the whole journal, so do not poll it.',
      examples: [
        {
          title: 'Books that agree',
          after: ['createChatCompletion'],
          answer: {
            spaces: [
              {
                space: 'demo',
                entries: 13,
                given: '110',
                promo: '9.9758652',
                paid: '100',
                charged_from_held: '0.0241348',
                expired: '0',
                overage: '0',
                invoiced: '0',
                due: '0',
                spent: '0.0241348',
              },
            ],
            disagreements: [],
          },
        },
      ],
    },
  },
};
