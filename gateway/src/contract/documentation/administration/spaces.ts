import { ExampleGiven, ExampleResult } from '../example-values.ts';
import type { TagDocs } from '../operation-docs.ts';
import { acme, demo, LAST_PAGE } from './places.ts';
import { failedRequest } from './requests.ts';

const settings = {
  name: 'acme',
  id: 'spc_01kdm6a4r8v2y6c0f4j8m2q6tx',
  overage_allowed: false,
  keeps_responses: true,
  unpriced_allowed: false,
  blocked: false,
  requests_per_minute: null,
  tokens_per_minute: null,
};

const space = {
  ...settings,
  name: 'demo',
  id: 'spc_01kdm5w2k6n0r4v8y2c6f0j4mq',
  overage_allowed: true,
  can_spend: true,
  role: 'operator',
  held: '109.9758652',
  overage: '0',
  reserved: '0',
  spent: '0.0241348',
  members: 1,
  active_keys: 2,
  created_at: '2026-11-16T14:10:02+09:00',
  kept_responses: 3,
  kept_bytes: 2164,
};

export const spacesDocs: TagDocs = {
  tag: 'Spaces',
  description: 'The tenants of the installation: what they may do, and how they are doing.',
  operations: {
    'spaces.list': {
      description: 'Operators see every space, other people those that they are a member of.',
      examples: [{ title: 'All spaces', answer: { data: [space], ...LAST_PAGE } }],
    },
    'spaces.get': {
      description: '`can_spend` says whether a charged call would be accepted now.',
      examples: [
        { title: 'By its name', path: demo, answer: space },
        { title: 'By its id', path: { space: new ExampleResult('spaces.get', 'id') }, answer: space },
      ],
    },
    'spaces.overview': {
      description:
        'The balance, what was used in the current month, and the last requests that failed or were rejected. A member sees their own requests.',
      examples: [
        {
          title: 'A space with a failed request',
          path: demo,
          after: ['createChatCompletion', 'requests.get'],
          answer: {
            space,
            month: {
              month: '2026-11',
              requests: 10,
              unpriced: 0,
              cost: '0.0241348',
              active_keys: 1,
            },
            days: [{ day: '2026-11-16', requests: 10, cost: '0.0241348' }],
            last_errors: [failedRequest],
          },
        },
      ],
    },
    'spaces.create': {
      description:
        'A new space has no units, no members and no keys: add them next. Its name cannot be changed.',
      examples: [{ title: 'A new space', body: { name: 'acme' }, answer: settings }],
      errors: {
        conflict: {
          detail: 'There is already a space demo.',
          param: 'name',
          provoke: { body: { name: 'demo' } },
        },
        invalid_parameter: {
          detail:
            'name "Acme Inc." is not valid: it must be the name of a space: 1 to 63 lower-case letters, digits or hyphens, not beginning with a hyphen.',
          param: 'name',
          provoke: { body: { name: 'Acme Inc.' } },
        },
      },
    },
    'spaces.overage': {
      description:
        'Overage is what a space spends beyond the units it holds. Batches need it, because their cost is known only at the end.',
      examples: [
        {
          title: 'Allow overage',
          path: acme,
          body: { allowed: true },
          answer: { ...settings, overage_allowed: true },
        },
      ],
    },
    'spaces.keepResponses': {
      description:
        'Kept responses can be continued with `previous_response_id`. Those that are kept already stay until they expire.',
      examples: [
        {
          title: 'Stop keeping responses',
          path: acme,
          body: { keep: false },
          answer: { ...settings, keeps_responses: false },
        },
      ],
    },
    'spaces.unpriced': {
      description:
        'By default a call that asks for something without a price is rejected with `price_missing`, on a model that has prices. Allowed, it is sent and recorded with an unknown cost; until it has a price, it counts against units and limits at the standard price.',
      examples: [
        {
          title: 'Allow it',
          path: acme,
          body: { allowed: true },
          answer: { ...settings, unpriced_allowed: true },
        },
      ],
    },
    'spaces.block': {
      description:
        'A blocked space is answered 402 `insufficient_units`. Its lists, usage and results stay available.',
      examples: [
        {
          title: 'Block a space',
          path: acme,
          body: { blocked: true },
          answer: { ...settings, blocked: true },
        },
      ],
    },
    'spaces.rate': {
      description:
        'The limits of all keys of the space together; each key can have limits of its own as well.',
      examples: [
        {
          title: 'Requests and tokens',
          path: acme,
          body: { requests_per_minute: 600, tokens_per_minute: 2_000_000 },
          answer: { ...settings, requests_per_minute: 600, tokens_per_minute: 2_000_000 },
        },
      ],
      errors: {
        invalid_parameter: {
          detail: 'Nothing to change: set requests_per_minute, tokens_per_minute or both.',
          param: 'requests_per_minute',
          provoke: { body: {} },
        },
      },
    },
    'spaces.invoice': {
      description:
        'Writes all overage off to an invoice: the space owes nothing afterwards. `note` is the number of the invoice in your own books.',
      examples: [
        {
          title: 'Invoice a space',
          path: { space: new ExampleGiven('space with overage', 'globex') },
          body: { note: 'INV-2026-0117' },
          answer: {
            id: 'inv_01kdm6b9w3z7d1g5k9n3r7u1ya',
            space: 'globex',
            units: '0.0002975',
            at: '2026-11-16T14:21:40+09:00',
          },
        },
      ],
      errors: {
        conflict: {
          detail: 'demo has no overage: there is nothing to invoice.',
          provoke: { path: demo },
        },
      },
    },
  },
};
