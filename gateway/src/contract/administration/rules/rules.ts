/**
 * The rules of keys, members and spaces, each declared once: shapes, columns, operations, commands, the file of `plan`, the
 * console and the documents read them here. It imports only types and rules, so that a command starts fast.
 */
import type { Setting } from './rule.ts';
import { tags } from './tags-rule.ts';

export const settings = {
  overage: {
    path: 'overage',
    body: { name: 'OverageRequest', about: 'Whether a space may use overage.' },
    on: {
      space: {
        summary: 'Allow or forbid a space to spend more units than it holds.',
        description:
          'Overage is what a space spends beyond the units it holds. Batches need it, because their cost is known only at the end.',
        help: 'allow a space to use more units than it holds, or not',
        examples: ['on'],
      },
    },
    rules: {
      overage_allowed: {
        kind: 'switch',
        input: 'allowed',
        plan: 'overage',
        typed: 'on to allow it',
        shown: { space: 'Whether it may spend more units than it holds.' },
      },
    },
  },
  keepResponses: {
    path: 'keep-responses',
    body: { name: 'KeepResponsesRequest', about: 'Whether the responses of a space are kept.' },
    on: {
      space: {
        summary: 'Keep the responses of a space, or stop keeping them.',
        description:
          'Kept responses can be continued with `previous_response_id`. Those that are kept already stay until they expire.',
        help: 'keep responses for 30 days so that later calls can refer to them, or not',
        examples: ['off'],
        right: 'admin',
      },
    },
    rules: {
      keeps_responses: {
        kind: 'switch',
        column: 'keep_responses',
        initial: true,
        input: 'keep',
        use: 'Whether new responses are kept.',
        plan: 'keep_responses',
        typed: 'on to keep them',
        shown: { space: 'Whether its responses are kept for `previous_response_id`.' },
      },
    },
  },
  unpriced: {
    path: 'unpriced',
    body: { name: 'UnpricedRequest', about: 'Whether a space may ask for something without a price.' },
    on: {
      space: {
        summary: 'Allow or forbid a space to ask for what has no price.',
        description:
          'By default a call that asks for something without a price is rejected with `price_missing`, on a model that has prices. Allowed, it is sent and recorded with an unknown cost; until it has a price, it counts against units and limits at the standard price.',
        help: 'allow a space to ask for something that has no price, or not',
        examples: ['on'],
      },
    },
    rules: {
      unpriced_allowed: {
        kind: 'switch',
        input: 'allowed',
        use: 'Whether such calls are sent.',
        plan: 'unpriced',
        typed: 'on to allow it',
        shown: { space: 'Whether its calls may ask for something that has no price.' },
      },
    },
  },
  hard_limits: {
    path: 'hard-limits',
    operationId: 'spacesHardLimits',
    body: { name: 'HardLimitsRequest', about: 'Whether the units and limits of a space are hard.' },
    on: {
      space: {
        summary: 'Make the units and limits of a space hard, or not.',
        description:
          'By default a call is accepted while anything is left, so the last calls can pass a limit. With hard limits a call is accepted only if the most it can cost fits into the units of the space, unless overage is allowed, and into the monthly limits of its key and its member.',
        help: 'accept a call of a space only if the most it can cost fits into units and limits, or not',
        examples: ['on'],
      },
    },
    rules: {
      hard_limits: {
        kind: 'switch',
        input: 'hard',
        use: 'Whether the most that a call can cost must fit into them.',
        typed: 'on to make them hard',
        shown: {
          space: 'Whether a call is accepted only if the most it can cost fits into units and limits.',
        },
      },
    },
  },
  block: {
    path: 'block',
    body: { name: 'BlockRequest', about: 'Whether a space is blocked.' },
    on: {
      space: {
        summary: 'Block all charged calls of a space, or unblock them.',
        description:
          'A blocked space is answered 402 `insufficient_units`. Its lists, usage and results stay available.',
        help: 'reject every call of a space that costs units, or accept them again',
        examples: ['on'],
      },
    },
    rules: {
      blocked: {
        kind: 'switch',
        column: 'blocked_at',
        since: true,
        use: 'Whether charged calls are rejected.',
        typed: 'on to block the space',
        shown: { space: 'Whether an operator blocked it.' },
      },
    },
  },
  limit: {
    path: 'limit',
    body: { name: 'MonthLimitRequest', about: 'A limit per calendar month (KST).' },
    on: {
      key: {
        summary: 'Limit the units a key may spend per calendar month (KST).',
        description:
          'Calls beyond the limit are answered 429 `policy_limit_exceeded` until the next month. `null` removes the limit. A limit for all keys of a member is set with `members.limit`.',
        examples: ['250', 'none'],
      },
      member: {
        summary: 'Limit the units a member may spend per month.',
        description:
          'For all personal keys of the member together, per calendar month (KST). Calls beyond it are answered 429 `policy_limit_exceeded`. `null` removes the limit.',
        help: 'limit the units a member may spend per calendar month (KST), with all keys together',
        examples: ['50'],
      },
    },
    rules: {
      month_limit: {
        kind: 'amount',
        typed: 'units per month',
        shown: {
          key: 'The most units it may spend per calendar month (KST).',
          member: 'The most units all their keys together may spend per calendar month (KST).',
        },
      },
    },
  },
  rate: {
    path: 'rate',
    body: { name: 'RateRequest', about: 'Per-minute rate limits. One that is left out stays as it is.' },
    on: {
      key: {
        summary: 'Set the per-minute rate limits of a key.',
        description: 'Calls beyond the limit are answered 429 `rate_limit_exceeded` with `retry-after`.',
        examples: ['--requests 60 --tokens none'],
      },
      member: {
        summary: 'Set the per-minute rate limits of all keys of a member.',
        description:
          'For all personal keys of the member together, also for those that they create later. `null` removes a limit.',
        help: 'set the per-minute rate limits of a member, for all keys together',
        examples: ['--requests 60 --tokens none'],
      },
      space: {
        summary: 'Set the per-minute rate limits of a space.',
        description:
          'The limits of all keys of the space together; each key can have limits of its own as well.',
        help: 'set the per-minute rate limits of a space, for all its keys together',
        examples: ['--requests 600 --tokens none'],
      },
    },
    rules: {
      requests_per_minute: {
        kind: 'count',
        option: 'requests',
        typed: 'requests per minute',
      },
      tokens_per_minute: {
        kind: 'count',
        option: 'tokens',
        typed: 'tokens per minute',
      },
    },
  },
  models: {
    path: 'models',
    body: { name: 'AllowedModelsRequest', about: 'The models that may be used.' },
    on: {
      key: {
        summary: 'Restrict a key to some models.',
        description:
          'Other models answer 404 `model_not_found` for the key, and `GET /v1/models` does not list them. `null` allows all models of the space. The owner of a personal key can create other keys: `members.models` holds for all of them.',
        examples: ['gpt-5-mini,gpt-5', 'all'],
      },
      member: {
        summary: 'Restrict all keys of a member to some models.',
        description:
          'Holds for all personal keys of the member, also for those that they create later. A key with a list of its own may use the models that are in both. `null` allows all models of the space.',
        examples: ['gpt-5-mini', 'all'],
      },
    },
    rules: {
      models: {
        kind: 'models',
        typed: 'model codes as a,b,c, or all',
        shown: {
          key: 'The models it may use.',
          member: 'The models that their keys may use.',
        },
      },
    },
  },
  tags,
  disable: {
    path: 'disable',
    off: {
      name: 'enable',
      summary: 'Accept a disabled key again.',
      description: 'The key has the same secret, limits and spending as before.',
    },
    on: {
      key: {
        summary: 'Reject a key until it is enabled again.',
        description:
          'Requests with the key are answered 401 `invalid_credentials` until it is enabled again.',
        examples: [''],
        right: 'member',
      },
    },
    rules: {
      disabled: {
        kind: 'switch',
        column: 'disabled_at',
        since: true,
        shown: { key: 'Whether it is rejected until it is enabled again.' },
      },
    },
  },
  expire: {
    path: 'expiry',
    on: {
      key: {
        summary: 'Set when a key expires.',
        description:
          'After that time the key is answered 401 `api_key_expired`. Its owner cannot rotate it beyond this end; an administrator can rotate it, or set another time. An end for all keys of a member is set with `members.expire`.',
        examples: ['2026-12-31', 'now'],
        body: { name: 'KeyExpiryRequest', about: 'When a key expires.' },
      },
      member: {
        summary: 'Set when all keys of a member stop working.',
        description:
          'From then on all personal keys of the member are answered 401 `api_key_expired`, also those that they create or rotate later. They can still sign in. `null` removes the end.',
        examples: ['2026-12-31', 'none'],
        body: { name: 'MemberExpiryRequest', about: 'When all keys of a member stop working.' },
      },
    },
    rules: {
      expires_at: {
        kind: 'date',
        always: ['key'],
        input: 'expires',
        plan: 'expires',
        typed: 'the last day (YYYY-MM-DD, KST), a moment',
        shown: {
          key: 'When the key expires.',
          member: 'When all their keys stop working.',
        },
      },
    },
  },
} as const satisfies Record<string, Setting>;
