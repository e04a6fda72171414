import { ExampleResult } from '../example-values.ts';
import type { TagDocs } from '../operation-docs.ts';
import { demo, LAST_PAGE, OWNER } from './places.ts';

const invitation = {
  id: 'invite_01kdm6q1v5y9c3f7j1m5q9t3wd',
  email: 'choi@example.com',
  role: 'member',
  expires_at: '2026-11-23T14:22:40+09:00',
};

export const invitationsDocs: TagDocs = {
  tag: 'Invitations',
  description: 'Links with which people become members of a space.',
  operations: {
    'invitations.list': {
      description: 'Those that were accepted or revoked, or have expired, are listed too.',
      examples: [
        {
          title: 'An open invitation',
          path: demo,
          after: ['invitations.create'],
          answer: {
            data: [
              {
                ...invitation,
                state: 'open',
                created_by: OWNER,
                created_at: '2026-11-16T14:22:40+09:00',
              },
            ],
            ...LAST_PAGE,
          },
        },
      ],
    },
    'invitations.create': {
      description:
        'Send the person `path` at the address of the installation. The link works once, within seven days, and is shown only in this answer. Another invitation for the same address replaces it.',
      examples: [
        {
          title: 'Invite a member',
          path: demo,
          body: { email: invitation.email, role: 'member' },
          answer: { ...invitation, code: 'iv_…', path: '/console/sign-in#iv_…' },
        },
      ],
      errors: {
        conflict: {
          detail: `${OWNER} is already a member of the space and can sign in.`,
          param: 'email',
          provoke: { body: { email: OWNER, role: 'member' } },
        },
      },
    },
    'invitations.revoke': {
      description: 'Its link is rejected from now on. An invitation that was accepted cannot be revoked.',
      examples: [
        {
          title: 'Revoke an invitation',
          path: { ...demo, invitation: new ExampleResult('invitations.create', 'id') },
          after: ['invitations.list'],
          answer: { id: invitation.id, email: invitation.email, revoked: true },
        },
      ],
    },
  },
};
