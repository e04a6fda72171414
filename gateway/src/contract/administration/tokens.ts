/** Administration tokens: credentials of programs that administer a space or the installation. */
import { Type } from 'typebox';
import { ADMIN_BASE, type AdminEndpoint, IN_SPACE, operation } from './admin-endpoint.ts';
import {
  filter,
  Label,
  orNull,
  request,
  Switch,
  shape,
  text,
  timeOf,
  whole,
  withUse,
  yes,
} from './fields.ts';
import { filterFields } from './filter-fields.ts';
import { listQuery, pageOf } from './lists.ts';
import { accessLevels, DAYS_MAX, TOKEN_DAYS_DEFAULT } from './words.ts';

const Access = Type.Enum(accessLevels, {
  description: 'read: it can only read. write: it can change things too.',
});

const token = {
  id: text('The id of the token.'),
  name: text('The name; the audit log calls the token token:NAME.'),
  space: orNull(text('The name of its space. Null: the whole installation.')),
  access: Access,
  expires_at: timeOf('When it expires.'),
};

const { expires_at: _, ...facts } = token;

export const UnownedToken = shape('An administration token whose owner lost the right to it.', facts);

/** What ended, or got another owner, when a person lost their rights. */
export const lostRights = {
  tokens_ended: Type.Array(UnownedToken, {
    description: 'The administration tokens that the person answered for and that ended with their rights.',
  }),
  tokens_kept: Type.Array(UnownedToken, {
    description: 'Those that you kept with keep_tokens: you answer for them now.',
  }),
  invitations_revoked: Type.Array(Type.String(), {
    description: 'The addresses whose open invitations the person had created; they were revoked.',
  }),
};

export const AdminTokenListed = shape('An administration token in a list.', {
  ...token,
  hint: text('The masked secret, such as at_…a1b2.'),
  created_by: text('Who created it.'),
  owner: text('Who answers for it: who created it, or who kept it when they lost their rights.'),
  active: yes('Whether it works: it has not expired, and its owner still has the right to it.'),
  created_at: timeOf('When it was created.'),
  last_used_at: orNull(timeOf('When it was last used, to the minute. Null: never.')),
});

export const AdminTokenPage = pageOf(AdminTokenListed, 'The tokens, newest first, without revoked ones.');

export const AdminTokenCreated = shape('A new administration token, with its secret.', {
  token: text('The secret of the token. It is shown only in this answer.'),
  ...token,
});

export const AdminTokenRevoked = shape('An administration token that was revoked.', {
  id: token.id,
  name: token.name,
  revoked: Type.Literal(true, { description: 'Always true.' }),
});

export const NewAdminTokenRequest = request('A new administration token.', {
  name: withUse(Label, 'The audit log calls the token token:NAME.'),
  access: Access,
  days: Type.Optional(
    Type.Integer({
      ...whole({ min: 1, max: DAYS_MAX }),
      description: `A whole number of days from 1 to ${DAYS_MAX} that the token is valid. Default: ${TOKEN_DAYS_DEFAULT}.`,
    }),
  ),
});

export const tokenEndpoints = {
  'tokens.list': {
    ...operation('GET', `${IN_SPACE}/tokens`, 'admin'),
    summary: 'List the administration tokens of a space.',
    query: listQuery(filterFields('tokens.list')),
    response: AdminTokenPage,
  },
  'tokens.create': {
    ...operation('POST', `${IN_SPACE}/tokens`, 'admin'),
    summary: 'Create a token for a space.',
    byPerson: true,
    request: NewAdminTokenRequest,
    response: AdminTokenCreated,
    problems: ['conflict'],
  },
  'tokens.revoke': {
    ...operation('DELETE', `${IN_SPACE}/tokens/{token}`, 'admin'),
    summary: 'Revoke a token of a space.',
    response: AdminTokenRevoked,
  },
  'operatorTokens.list': {
    ...operation('GET', `${ADMIN_BASE}/tokens`, 'operator'),
    summary: 'List the administration tokens of the installation.',
    query: listQuery({
      ...filterFields('operatorTokens.list'),
      everywhere: filter(Switch, 'If true, the tokens of all spaces are listed too.'),
    }),
    response: AdminTokenPage,
  },
  'operatorTokens.create': {
    ...operation('POST', `${ADMIN_BASE}/tokens`, 'operator'),
    summary: 'Create a token for the installation.',
    byPerson: true,
    request: NewAdminTokenRequest,
    response: AdminTokenCreated,
    problems: ['conflict'],
  },
  'operatorTokens.revoke': {
    ...operation('DELETE', `${ADMIN_BASE}/tokens/{token}`, 'operator'),
    summary: 'Revoke a token of the installation.',
    response: AdminTokenRevoked,
  },
} as const satisfies Record<string, AdminEndpoint>;
