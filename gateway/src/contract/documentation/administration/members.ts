import { ExampleResult } from '../example-values.ts';
import type { TagDocs } from '../operation-docs.ts';
import { demo, LAST_PAGE, NEW_MEMBER, NOTHING_LOST, OWNER, ownTokens } from './places.ts';

const member = {
  email: NEW_MEMBER,
  nickname: 'Lee',
  role: 'member',
  month_limit: null,
  requests_per_minute: null,
  tokens_per_minute: null,
  models: null,
  expires_at: null,
  id: 'mem_01kdm6c3x7a1e5h9m3q7u1y5bf',
};

/** After the examples of roles, names and limits. */
const limited = { ...member, role: 'admin', nickname: 'Lee Min', month_limit: '20' };

const added = { ...demo, email: new ExampleResult('members.add', 'email') };

export const membersDocs: TagDocs = {
  tag: 'Members',
  description: 'The people of a space, their roles and what each may spend.',
  operations: {
    'members.list': {
      description: 'With their roles and limits, and what the keys of each spent in the current month.',
      examples: [
        {
          title: 'The owner of the demo',
          path: demo,
          query: { role: 'admin' },
          after: ['createChatCompletion'],
          answer: {
            data: [
              {
                ...member,
                email: OWNER,
                nickname: 'demo',
                role: 'admin',
                id: 'mem_01kdm5w2k6p4t8x2b6f0j4n8rv',
                spent: '0.0241348',
                resets_at: '2026-12-01T00:00:00+09:00',
                active_keys: 1,
                last_active_at: '2026-11-16T14:13:24+09:00',
                created_at: '2026-11-16T14:10:02+09:00',
                unconfirmed: false,
              },
            ],
            ...LAST_PAGE,
          },
        },
      ],
    },
    'members.add': {
      description:
        'The person signs in with their own account. Create a sign-in link or set a password for someone who has none. A token cannot add administrators.',
      examples: [
        {
          title: 'A new member',
          path: demo,
          body: { email: NEW_MEMBER, nickname: 'Lee', role: 'member' },
          answer: member,
        },
      ],
      errors: {
        conflict: {
          detail: 'demo@example.com is already a member of demo.',
          param: 'email',
          provoke: { body: { email: OWNER, role: 'member' } },
        },
        invalid_parameter: {
          detail: 'role "owner" is not valid: it must be one of admin, member.',
          param: 'role',
          provoke: { body: { email: NEW_MEMBER, role: 'owner' } },
        },
      },
    },
    'members.role': {
      description:
        'An administrator manages the members and keys of the space and sees all its requests. A token cannot make anyone an administrator. Administration tokens and open invitations that a member created as an administrator end with the role; `keep_tokens` gives the tokens to you instead.',
      examples: [
        {
          title: 'An administrator',
          path: added,
          body: { role: 'admin' },
          answer: { ...member, role: 'admin', ...NOTHING_LOST },
        },
      ],
      errors: { conflict: ownTokens },
    },
    'members.nickname': {
      description: 'Their e-mail address stays: it is what they sign in with.',
      examples: [
        {
          title: 'Another display name',
          path: added,
          body: { nickname: 'Lee Min' },
          after: ['members.role'],
          answer: { ...member, role: 'admin', nickname: 'Lee Min' },
        },
      ],
      errors: {
        invalid_parameter: {
          detail: 'nickname "" is not valid: it must be 1 to 120 characters on one line.',
          param: 'nickname',
          provoke: { body: { nickname: '' } },
        },
      },
    },
    'members.limit': {
      description:
        'For all personal keys of the member together, per calendar month (KST). Calls beyond it are answered 429 `policy_limit_exceeded`. `null` removes the limit.',
      examples: [
        {
          title: '20 units per month',
          path: added,
          body: { month_limit: '20' },
          after: ['members.role', 'members.nickname'],
          answer: limited,
        },
      ],
      errors: {
        invalid_parameter: {
          detail: 'month_limit "0" is not valid: it must be a decimal number above 0, such as 12.5.',
          param: 'month_limit',
          provoke: { path: { ...demo, email: OWNER }, body: { month_limit: '0' } },
        },
      },
    },
    'members.rate': {
      description:
        'For all personal keys of the member together, also for those that they create later. `null` removes a limit.',
      examples: [
        {
          title: '60 requests per minute',
          path: added,
          body: { requests_per_minute: 60 },
          after: ['members.limit'],
          answer: { ...limited, requests_per_minute: 60 },
        },
      ],
      errors: {
        invalid_parameter: {
          detail: 'Nothing to change: set requests_per_minute, tokens_per_minute or both.',
          param: 'requests_per_minute',
          provoke: { path: { ...demo, email: OWNER }, body: {} },
        },
      },
    },
    'members.models': {
      description:
        'Holds for all personal keys of the member, also for those that they create later. A key with a list of its own may use the models that are in both. `null` allows all models of the space.',
      examples: [
        {
          title: 'One model',
          path: added,
          body: { models: ['sim-chat'] },
          after: ['members.rate'],
          answer: { ...limited, requests_per_minute: 60, models: ['sim-chat'] },
        },
      ],
      errors: {
        invalid_parameter: {
          detail: 'There is no model sim-chatt in demo. Did you mean sim-chat?',
          param: 'models',
          provoke: { path: { ...demo, email: OWNER }, body: { models: ['sim-chatt'] } },
        },
      },
    },
    'members.expire': {
      description:
        'From then on all personal keys of the member are answered 401 `api_key_expired`, also those that they create or rotate later. They can still sign in. `null` removes the end.',
      examples: [
        {
          title: 'The last day of a contract',
          path: added,
          body: { expires: '2999-12-31T23:59:59+09:00' },
          after: ['members.models'],
          answer: {
            ...limited,
            ...{ requests_per_minute: 60, models: ['sim-chat'], expires_at: '2999-12-31T23:59:59+09:00' },
          },
        },
      ],
      errors: {
        invalid_parameter: {
          detail:
            'expires "tomorrow" is not valid: it must be a time with its zone, such as 2026-12-31T18:00:00+09:00, "now", or null for no end.',
          param: 'expires',
          provoke: { path: { ...demo, email: OWNER }, body: { expires: 'tomorrow' } },
        },
      },
    },
    'members.remove': {
      description:
        'Their personal keys are rejected at once, and administration tokens and open invitations that they created end. `keep_tokens` gives the tokens to you instead. Their batches, jobs and usage stay with the space.',
      examples: [
        {
          title: 'Remove a member',
          path: added,
          after: ['members.expire', 'people.password', 'people.link'],
          answer: {
            ...limited,
            ...{ requests_per_minute: 60, models: ['sim-chat'], expires_at: '2999-12-31T23:59:59+09:00' },
            ...NOTHING_LOST,
          },
        },
      ],
      errors: { conflict: ownTokens },
    },
  },
};
