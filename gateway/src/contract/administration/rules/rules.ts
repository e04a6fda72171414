/**
 * The rules of keys, members and spaces, each declared once: shapes, columns, operations, commands, the file of `plan`, the
 * console and the documents read them here. It imports only types, so that a command starts fast.
 */
import type { Setting } from './rule.ts';

export const settings = {
  overage: {
    path: 'overage',
    body: { name: 'OverageRequest', about: 'Whether a space may use overage.' },
    on: {
      space: {
        summary: 'Allow or forbid a space to spend more units than it holds.',
        help: 'allow a space to use more units than it holds, or not',
        examples: ['on'],
      },
    },
    rules: {
      overage_allowed: {
        kind: 'switch',
        input: 'allowed',
        use: 'Whether it may spend more units than it holds.',
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
        examples: ['250', 'none'],
      },
      member: {
        summary: 'Limit the units a member may spend per month.',
        help: 'limit the units a member may spend per calendar month (KST), with all keys together',
        examples: ['50'],
      },
    },
    rules: {
      month_limit: {
        kind: 'amount',
        typed: 'units per month',
        shown: {
          key: 'The most units it may spend per calendar month (KST). Null: no limit.',
          member:
            'The most units all their keys together may spend per calendar month (KST). Null: no limit.',
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
        examples: ['--requests 60 --tokens none'],
      },
      member: {
        summary: 'Set the per-minute rate limits of all keys of a member.',
        help: 'set the per-minute rate limits of a member, for all keys together',
        examples: ['--requests 60 --tokens none'],
      },
      space: {
        summary: 'Set the per-minute rate limits of a space.',
        help: 'set the per-minute rate limits of a space, for all its keys together',
        examples: ['--requests 600 --tokens none'],
      },
    },
    rules: {
      requests_per_minute: {
        kind: 'count',
        option: 'requests',
        typed: 'requests per minute',
        shown: {
          key: 'The most requests per minute. Null: no limit.',
          member: 'The most requests per minute of all their keys together. Null: no limit.',
          space: 'The most requests per minute of all its keys together. Null: no limit.',
        },
      },
      tokens_per_minute: {
        kind: 'count',
        option: 'tokens',
        typed: 'tokens per minute',
        shown: {
          key: 'The most tokens per minute. Null: no limit.',
          member: 'The most tokens per minute of all their keys together. Null: no limit.',
          space: 'The most tokens per minute of all its keys together. Null: no limit.',
        },
      },
    },
  },
  models: {
    path: 'models',
    body: { name: 'AllowedModelsRequest', about: 'The models that may be used.' },
    on: {
      key: { summary: 'Restrict a key to some models.', examples: ['gpt-5-mini,gpt-5', 'all'] },
      member: { summary: 'Restrict all keys of a member to some models.', examples: ['gpt-5-mini', 'all'] },
    },
    rules: {
      models: {
        kind: 'models',
        typed: 'model codes as a,b,c, or all',
        shown: {
          key: 'The models it may use. Null: all models of the space.',
          member: 'The models that their keys may use. Null: all models of the space.',
        },
      },
    },
  },
  disable: {
    path: 'disable',
    off: { name: 'enable', summary: 'Accept a disabled key again.' },
    on: {
      key: { summary: 'Reject a key until it is enabled again.', examples: [''], right: 'member' },
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
        examples: ['2026-12-31', 'now'],
        body: { name: 'KeyExpiryRequest', about: 'When a key expires.' },
      },
      member: {
        summary: 'Set when all keys of a member stop working.',
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
          member: 'When all their keys stop working. Null: never.',
        },
      },
    },
  },
} as const satisfies Record<string, Setting>;
