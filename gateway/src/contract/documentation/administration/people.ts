import { ExampleResult } from '../example-values.ts';
import type { TagDocs } from '../operation-docs.ts';
import { LAST_PAGE, NEW_MEMBER, NOTHING_LOST, OWNER, ownTokens, PASSWORD } from './places.ts';

const NEW_OPERATOR = 'park@example.com';
const STRANGER = 'unknown@example.com';

/** A member that the example of `members.add` adds. */
const member = { email: new ExampleResult('members.add', 'email') };

const stranger = {
  detail: `${STRANGER} is neither a member of a space nor an operator. Add them as a member first.`,
  param: 'email',
  provoke: { path: { email: STRANGER } },
};
const shortPassword = {
  detail: 'password is not valid: it must be 10 to 200 characters.',
  param: 'password',
};

export const peopleDocs: TagDocs = {
  tag: 'People and sign-in',
  description: 'Operators of the installation, and how people get in: passwords and one-time links.',
  operations: {
    'operators.list': {
      description: 'Operators may do everything in every space.',
      examples: [
        {
          title: 'One operator',
          answer: {
            data: [{ email: OWNER, has_password: true, created_at: '2026-11-16T14:10:02+09:00' }],
            ...LAST_PAGE,
          },
        },
      ],
    },
    'operators.add': {
      description: 'Ends all sessions that the person has, because the password is a new one.',
      examples: [
        {
          title: 'A new operator',
          body: { email: NEW_OPERATOR, password: PASSWORD },
          answer: { email: NEW_OPERATOR, operator: true },
        },
      ],
      errors: {
        conflict: {
          detail: `${OWNER} is already an operator. Set a new password to change it.`,
          param: 'email',
          provoke: { body: { email: OWNER, password: PASSWORD } },
        },
        invalid_parameter: {
          ...shortPassword,
          provoke: { body: { email: NEW_OPERATOR, password: 'short' } },
        },
      },
    },
    'operators.remove': {
      description:
        'The person keeps their account and the spaces that they are a member of. Administration tokens and open invitations that they created end, unless they are an administrator of the space that these are for. `keep_tokens` gives the tokens to you instead.',
      examples: [
        {
          title: 'Remove an operator',
          path: { email: new ExampleResult('operators.add', 'email') },
          after: ['audit.all'],
          answer: { email: NEW_OPERATOR, operator: false, ...NOTHING_LOST },
        },
      ],
      errors: {
        conflict: ownTokens,
        not_found: {
          detail: `${STRANGER} is not an operator.`,
          param: 'email',
          provoke: { path: { email: STRANGER } },
        },
      },
    },
    'people.password': {
      description: 'All sessions of the person end. They can change the password themselves afterwards.',
      examples: [
        {
          title: 'A new password',
          path: member,
          body: { password: PASSWORD },
          answer: { email: NEW_MEMBER, password: 'set' },
        },
      ],
      errors: {
        not_found: stranger,
        invalid_parameter: { ...shortPassword, provoke: { body: { password: 'short' } } },
      },
    },
    'people.link': {
      description:
        'Send the person `/console/sign-in#CODE` at the address of the installation. The link works once, within ten minutes.',
      examples: [
        {
          title: 'A sign-in link',
          path: member,
          answer: { email: NEW_MEMBER, code: 'sl_…', expires_at: '2026-11-16T14:37:12+09:00' },
        },
      ],
      errors: { not_found: stranger },
    },
  },
};
