import { ExampleResult } from '../example-values.ts';
import type { TagDocs } from '../operation-docs.ts';
import { demo, LAST_PAGE, NEW_MEMBER, NOTHING_LOST, OWNER, ownTokens } from './places.ts';

const member = {
  email: NEW_MEMBER,
  nickname: 'Lee',
  role: 'member',
  month_limit: null,
  id: 'mem_01kdm6c3x7a1e5h9m3q7u1y5bf',
};

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
          answer: { ...member, role: 'admin', nickname: 'Lee Min', month_limit: '20' },
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
    'members.remove': {
      description:
        'Their personal keys are rejected at once, and administration tokens and open invitations that they created end. `keep_tokens` gives the tokens to you instead. Their batches, jobs and usage stay with the space.',
      examples: [
        {
          title: 'Remove a member',
          path: added,
          after: ['members.role', 'members.nickname', 'members.limit', 'people.password', 'people.link'],
          answer: { ...member, role: 'admin', nickname: 'Lee Min', month_limit: '20', ...NOTHING_LOST },
        },
      ],
      errors: { conflict: ownTokens },
    },
  },
};
