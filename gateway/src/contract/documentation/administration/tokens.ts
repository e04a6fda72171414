import { ExampleResult } from '../example-values.ts';
import type { TagDocs } from '../operation-docs.ts';
import { demo, LAST_PAGE, OWNER } from './places.ts';

const token = {
  id: 'token_01kdm6n5r9v3y7c1f5j9m3q7ub',
  name: 'deploy',
  space: 'demo',
  access: 'write',
  expires_at: '2027-02-14T14:20:31+09:00',
};

const ofInstallation = {
  id: 'token_01kdm6p8t2w6z0d4g8k2n6r0vc',
  name: 'terraform',
  space: null,
  access: 'read',
  expires_at: '2026-12-16T14:21:05+09:00',
};

/** What a list says besides. */
const listed = { created_by: OWNER, owner: OWNER, active: true, last_used_at: null };

const wrongAccess = {
  detail: 'access "all" is not valid: it must be one of read, write.',
  param: 'access',
  provoke: { body: { name: 'backup', access: 'all' } },
};

const unknownToken = `token_${'0'.repeat(26)}`;

export const tokensDocs: TagDocs = {
  tag: 'Administration tokens',
  description: 'Credentials of programs that administer a space or the whole installation.',
  operations: {
    'tokens.list': {
      description:
        'Revoked tokens are left out; expired ones are listed until they are revoked. A token has no more rights than its owner: it ends when they lose theirs.',
      examples: [
        {
          title: 'One token',
          path: demo,
          after: ['tokens.create'],
          answer: {
            data: [{ ...token, ...listed, hint: 'at_…a1b2', created_at: '2026-11-16T14:20:31+09:00' }],
            ...LAST_PAGE,
          },
        },
      ],
    },
    'tokens.create': {
      description:
        'The token does what an administrator of the space may do, or only reads it. Send it as `Authorization: Bearer at_…`. Store the secret at once: it is shown only in this answer. A token cannot create tokens.',
      examples: [
        {
          title: 'A token for a deployment program',
          path: demo,
          body: { name: 'deploy', access: 'write', days: 90 },
          answer: { token: 'at_…', ...token },
        },
      ],
      errors: { invalid_parameter: wrongAccess },
    },
    'tokens.revoke': {
      description: 'The token is rejected from now on. Its name can be used again.',
      examples: [
        {
          title: 'Revoke a token',
          path: { ...demo, token: new ExampleResult('tokens.create', 'id') },
          after: ['tokens.list'],
          answer: { id: token.id, name: token.name, revoked: true },
        },
      ],
    },
    'operatorTokens.list': {
      description: 'Tokens of single spaces are listed at their space.',
      examples: [
        {
          title: 'One token',
          after: ['operatorTokens.create'],
          answer: {
            data: [
              { ...ofInstallation, ...listed, hint: 'at_…c3d4', created_at: '2026-11-16T14:21:05+09:00' },
            ],
            ...LAST_PAGE,
          },
        },
      ],
    },
    'operatorTokens.create': {
      description:
        'The token does what an operator may do in every space, or only reads. Store the secret at once: it is shown only in this answer. A token cannot create tokens.',
      examples: [
        {
          title: 'A token that can only read',
          body: { name: 'terraform', access: 'read', days: 30 },
          answer: { token: 'at_…', ...ofInstallation },
        },
      ],
      errors: { invalid_parameter: wrongAccess },
    },
    'operatorTokens.revoke': {
      description: 'The token is rejected from now on. Its name can be used again.',
      examples: [
        {
          title: 'Revoke a token',
          path: { token: new ExampleResult('operatorTokens.create', 'id') },
          after: ['operatorTokens.list'],
          answer: { id: ofInstallation.id, name: ofInstallation.name, revoked: true },
        },
      ],
      errors: {
        not_found: {
          detail: `There is no token ${unknownToken} here.`,
          param: 'token',
          provoke: { path: { token: unknownToken } },
        },
      },
    },
  },
};
