/** Administration of who can sign in: operators, passwords and one-time links. */
import { Type } from 'typebox';
import { ADMIN_BASE, type AdminEndpoint, operation } from './admin-endpoint.ts';
import { Email, fields, KeepTokens, Password, request, shape, text, timeOf, yes } from './fields.ts';
import { listQuery, pageOf } from './lists.ts';
import { lostRights } from './tokens.ts';

export const Operator = shape('An operator of the installation.', {
  email: text('The e-mail address of the operator.'),
  has_password: yes('Whether they can sign in with a password.'),
  created_at: timeOf('When the account was created.'),
});

export const OperatorPage = pageOf(Operator, 'The operators, ordered by e-mail address.');

const operatorRight = {
  email: text('The e-mail address of the person.'),
  operator: yes('Whether they are an operator now.'),
};

export const OperatorRight = shape('Whether a person is an operator.', operatorRight);

export const RemovedOperator = shape('A person without operator rights, and what ended with them.', {
  ...operatorRight,
  ...lostRights,
});

export const AddOperatorRequest = request('A new operator.', { email: Email, password: Password });

export const PasswordRequest = request('A new password.', { password: Password });

export const PasswordSet = shape('A person whose password was set.', {
  email: text('The e-mail address of the person.'),
  password: Type.Literal('set', { description: 'Always "set".' }),
});

export const SignInLinkCreated = shape('A link that signs a person in once.', {
  email: text('The e-mail address of the person.'),
  code: text('The code of the link: the part after the #. It is shown only in this answer.'),
  expires_at: timeOf('When the link expires.'),
});

export const peopleEndpoints = {
  'operators.list': {
    ...operation('GET', `${ADMIN_BASE}/operators`, 'operator'),
    summary: 'List the operators of the installation.',
    query: listQuery({}),
    response: OperatorPage,
  },
  'operators.add': {
    ...operation('POST', `${ADMIN_BASE}/operators`, 'operator'),
    byPerson: true,
    summary: 'Give someone operator rights and a password.',
    request: AddOperatorRequest,
    response: OperatorRight,
    problems: ['conflict'],
  },
  'operators.remove': {
    ...operation('DELETE', `${ADMIN_BASE}/operators/{email}`, 'operator'),
    byPerson: true,
    summary: 'Remove operator rights.',
    query: fields({ keep_tokens: KeepTokens }),
    response: RemovedOperator,
    problems: ['not_found', 'conflict'],
  },
  'people.password': {
    ...operation('PUT', `${ADMIN_BASE}/people/{email}/password`, 'operator'),
    byPerson: true,
    summary: 'Set the password of a person.',
    request: PasswordRequest,
    response: PasswordSet,
    problems: ['not_found'],
  },
  'people.link': {
    ...operation('POST', `${ADMIN_BASE}/people/{email}/link`, 'operator'),
    byPerson: true,
    summary: 'Create a link that signs a person in once.',
    response: SignInLinkCreated,
    problems: ['not_found'],
  },
} as const satisfies Record<string, AdminEndpoint>;
