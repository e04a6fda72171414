import { ExampleResult } from '../example-values.ts';
import type { TagDocs } from '../operation-docs.ts';
import { demo, LAST_PAGE, OWNER } from './places.ts';

const rules = {
  expires_at: '2027-02-14T14:22:07+09:00',
  ends_at: null,
  month_limit: null,
  requests_per_minute: null,
  tokens_per_minute: null,
  models: null,
  disabled: false,
  former_until: null,
};

const key = {
  id: 'key_01kdm5w2k6s8w2a6d0h4k8n2rt',
  name: 'demo',
  kind: 'personal',
  hint: 'sk_…apvV',
  owner: OWNER,
  created_by: OWNER,
  state: 'active',
  created_at: '2026-11-16T14:10:02+09:00',
  ...rules,
  spent: '0.0241348',
  resets_at: '2026-12-01T00:00:00+09:00',
  last_used_at: '2026-11-16T14:13:24+09:00',
};

const created = {
  key: 'sk_…',
  id: 'key_01kdm6d5z9c3f7k1n5r9v3x7ad',
  name: 'checkout',
  kind: 'shared',
  space: 'demo',
  expires_at: '2027-02-14T14:22:07+09:00',
};

/** Of a new key. */
const unlimited = { month_limit: null };

/** The key that `keys.create` creates, after it was rotated. */
const checkout = { ...demo, name: new ExampleResult('keys.create', 'name') };
const FORMER_UNTIL = '2026-11-17T14:22:09+09:00';
const shown = { name: 'checkout', owner: null, ...rules, former_until: FORMER_UNTIL };
const END = '2999-12-31T23:59:59+09:00';
/** After the example of `keys.expire`. */
const ended = { ...shown, expires_at: END, ends_at: END };

const unknownModel = 'sim-caht';

export const keysDocs: TagDocs = {
  tag: 'Keys',
  description: 'Gateway keys and management keys: creating, rotating, limiting and revoking them.',
  operations: {
    'keys.list': {
      description:
        'With limits, what each key spent in the current month, and when it was last used. A member sees their own keys.',
      examples: [
        {
          title: 'Personal keys',
          path: demo,
          query: { kind: 'personal' },
          after: ['createChatCompletion'],
          answer: { data: [key], ...LAST_PAGE },
        },
      ],
    },
    'keys.get': {
      description: 'The secret itself is stored nowhere; `hint` shows its end. A member sees their own keys.',
      examples: [
        { title: 'One key', path: { ...demo, name: 'demo' }, after: ['createChatCompletion'], answer: key },
      ],
    },
    'keys.create': {
      description:
        'A `personal` key belongs to a member and counts towards their limit, a `shared` key belongs to the space, and a `management` key only reads usage and balance. Store the secret now: it cannot be shown again. A member creates personal keys for themselves.',
      examples: [
        {
          title: 'A shared key',
          path: demo,
          body: { name: 'checkout', kind: 'shared' },
          answer: { ...created, ...unlimited },
        },
        {
          title: 'A personal key for 30 days and 50 units per month',
          path: demo,
          body: { name: 'laptop', kind: 'personal', email: OWNER, days: 30, month_limit: '50' },
          answer: {
            ...created,
            month_limit: '50',
            id: 'key_01kdm6d8b2f6j0m4q8u2x6a0eg',
            name: 'laptop',
            kind: 'personal',
            expires_at: '2026-12-16T14:22:08+09:00',
          },
        },
      ],
      errors: {
        conflict: {
          detail: 'There is already a key demo in demo.',
          param: 'name',
          provoke: { body: { name: 'demo', kind: 'shared' } },
        },
        invalid_parameter: {
          detail: 'email is required for a personal key; it must be the e-mail address of a member.',
          param: 'email',
          provoke: { body: { name: 'phone', kind: 'personal' } },
        },
      },
    },
    'keys.rotate': {
      description:
        'The old secret keeps working for `grace_hours`, so that you can replace it without an interruption. Limits and spending stay with the key. If an administrator set an end (`ends_at`), a rotation by the owner of the key does not go beyond it, and is rejected after it; one by an administrator sets a new expiry instead.',
      examples: [
        {
          title: 'One day of grace',
          path: checkout,
          body: { grace_hours: 24 },
          answer: { ...created, former_until: FORMER_UNTIL },
        },
      ],
      errors: {
        invalid_parameter: {
          detail:
            'grace_hours 1000 is not valid: it must be a whole number of hours from 0 to 720 that the old secret keeps working.',
          param: 'grace_hours',
          provoke: { body: { grace_hours: 1_000 } },
        },
      },
    },
    'keys.revoke': {
      description:
        'Both secrets of the key are rejected at once and cannot be restored. Its name can be used again. Disable a key instead if it should come back.',
      examples: [
        {
          title: 'Revoke a key',
          path: checkout,
          after: ['keys.enable', 'keys.expire', 'keys.limit', 'keys.rate', 'keys.models'],
          answer: { name: 'checkout', revoked: true },
        },
      ],
    },
    'keys.disable': {
      description: 'Requests with the key are answered 401 `invalid_credentials` until it is enabled again.',
      examples: [
        {
          title: 'Disable a key',
          path: checkout,
          after: ['keys.rotate'],
          answer: { ...shown, disabled: true },
        },
      ],
    },
    'keys.enable': {
      description: 'The key has the same secret, limits and spending as before.',
      examples: [{ title: 'Enable a key', path: checkout, after: ['keys.disable'], answer: shown }],
    },
    'keys.expire': {
      description:
        'After that time the key is answered 401 `api_key_expired`. Its owner cannot rotate it beyond this end; an administrator can rotate it, or set another time. An end for all keys of a member is set with `members.expire`.',
      examples: [
        {
          title: 'At the end of a contract',
          path: checkout,
          body: { expires: END },
          after: ['keys.enable'],
          answer: ended,
        },
      ],
      errors: {
        invalid_parameter: {
          detail:
            'expires "tomorrow" is not valid: it must be a time with its zone, such as 2026-12-31T18:00:00+09:00, or "now".',
          param: 'expires',
          provoke: { body: { expires: 'tomorrow' } },
        },
      },
    },
    'keys.limit': {
      description:
        'Calls beyond the limit are answered 429 `policy_limit_exceeded` until the next month. `null` removes the limit. A limit for all keys of a member is set with `members.limit`.',
      examples: [
        {
          title: '100 units per month',
          path: checkout,
          body: { month_limit: '100' },
          after: ['keys.expire'],
          answer: { ...ended, month_limit: '100' },
        },
      ],
      errors: {
        invalid_parameter: {
          detail: 'month_limit "much" is not valid: it must be a decimal number above 0, such as 12.5.',
          param: 'month_limit',
          provoke: { path: { ...demo, name: 'demo' }, body: { month_limit: 'much' } },
        },
      },
    },
    'keys.rate': {
      description: 'Calls beyond the limit are answered 429 `rate_limit_exceeded` with `retry-after`.',
      examples: [
        {
          title: '60 requests per minute',
          path: checkout,
          body: { requests_per_minute: 60 },
          after: ['keys.limit'],
          answer: { ...ended, month_limit: '100', requests_per_minute: 60 },
        },
      ],
      errors: {
        invalid_parameter: {
          detail:
            'requests_per_minute 0 is not valid: it must be a whole number from 1 to 2000000000, or null for no limit.',
          param: 'requests_per_minute',
          provoke: { body: { requests_per_minute: 0 } },
        },
      },
    },
    'keys.models': {
      description:
        'Other models answer 404 `model_not_found` for the key, and `GET /v1/models` does not list them. `null` allows all models of the space. The owner of a personal key can create other keys: `members.models` holds for all of them.',
      examples: [
        {
          title: 'Two models',
          path: checkout,
          body: { models: ['sim-chat', 'sim-embed'] },
          after: ['keys.rate'],
          answer: {
            ...ended,
            month_limit: '100',
            requests_per_minute: 60,
            models: ['sim-chat', 'sim-embed'],
          },
        },
      ],
      errors: {
        invalid_parameter: {
          detail: `There is no model ${unknownModel} in demo. Did you mean sim-chat?`,
          param: 'models',
          provoke: { path: { ...demo, name: 'demo' }, body: { models: [unknownModel] } },
        },
      },
    },
  },
};
