/** Administration of who can sign in: operators, passwords and one-time links. */
import { Type } from 'typebox';
import { ADMIN_BASE, type AdminEndpoint, operation } from './admin-endpoint.ts';
import { Email, fields, Password, text, timeOf, yes } from './fields.ts';
import { listQuery, pageOf } from './lists.ts';

const Operator = Type.Object({
  email: text('The e-mail address of the operator.'),
  has_password: yes('Whether they can sign in with a password.'),
  created_at: timeOf('When the account was created.'),
});

const OperatorRight = Type.Object({
  email: text('The e-mail address of the person.'),
  operator: yes('Whether they are an operator now.'),
});

export const peopleEndpoints = {
  'operators.list': {
    ...operation('GET', `${ADMIN_BASE}/operators`, 'operator'),
    summary: 'List the operators of the installation.',
    query: listQuery({}),
    response: pageOf(Operator, 'The operators, ordered by e-mail address.'),
    problems: [],
  },
  'operators.add': {
    ...operation('POST', `${ADMIN_BASE}/operators`, 'operator'),
    byPerson: true,
    summary: 'Give someone operator rights and a password.',
    request: fields({ email: Email, password: Password }),
    idempotent: true,
    response: OperatorRight,
    problems: ['conflict'],
  },
  'operators.remove': {
    ...operation('DELETE', `${ADMIN_BASE}/operators/{email}`, 'operator'),
    byPerson: true,
    summary: 'Remove operator rights; the person keeps the spaces they are a member of.',
    idempotent: true,
    response: OperatorRight,
    problems: [],
  },
  'people.password': {
    ...operation('PUT', `${ADMIN_BASE}/people/{email}/password`, 'operator'),
    byPerson: true,
    summary: "Set a person's password and end their sessions.",
    request: fields({ password: Password }),
    idempotent: true,
    response: Type.Object({
      email: text('The e-mail address of the person.'),
      password: Type.Literal('set', { description: 'Always "set".' }),
    }),
    problems: [],
  },
  'people.link': {
    ...operation('POST', `${ADMIN_BASE}/people/{email}/link`, 'operator'),
    byPerson: true,
    summary: 'Create a link that signs a person in once.',
    idempotent: true,
    response: Type.Object({
      email: text('The e-mail address of the person.'),
      code: text('The code of the link: the part after the #. It is shown only in this answer.'),
      expires_at: timeOf('When the link expires.'),
    }),
    problems: [],
  },
} as const satisfies Record<string, AdminEndpoint>;
