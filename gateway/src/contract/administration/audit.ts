/** The audit log, and the explanation of one request. */
import { Type } from 'typebox';
import { Explanation } from '../explanation.ts';
import { ADMIN_BASE, type AdminEndpoint, IN_SPACE, operation } from './admin-endpoint.ts';
import { count, Label, orNull, Time, text, timeOf } from './fields.ts';
import { listQuery, pageOf } from './lists.ts';

const Facts = Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
  description: 'The fields as they were or became. Null: there were none.',
});

const AuditLine = Type.Object({
  id: count('The number of the line.'),
  at: timeOf('When it happened.'),
  actor: text('Who did it.'),
  action: text('What was done, such as keys.rotate.'),
  space: orNull(text('The name of the space. Null: it concerns the installation.')),
  subject: text('The name of what was changed.'),
  before: Facts,
  after: Facts,
});

const filters = {
  actor: Type.Optional(Type.String({ ...Label, description: 'Only changes by this actor.' })),
  action: Type.Optional(
    Type.String({ ...Label, description: 'Only this action, or actions of this kind such as "keys".' }),
  ),
  subject: Type.Optional(Type.String({ ...Label, description: 'Only changes of this subject.' })),
  from: Type.Optional(Time),
  until: Type.Optional(Time),
};

export const auditEndpoints = {
  'audit.list': {
    ...operation('GET', `${IN_SPACE}/audit`, 'admin'),
    summary: 'List who changed what in a space, newest first.',
    query: listQuery(filters),
    response: pageOf(AuditLine, 'The lines, newest first.'),
    csv: true,
    problems: [],
  },
  'audit.all': {
    ...operation('GET', `${ADMIN_BASE}/audit`, 'operator'),
    summary: 'List who changed what in the whole installation, newest first.',
    query: listQuery(filters),
    response: pageOf(AuditLine, 'The lines, newest first.'),
    csv: true,
    problems: [],
  },
  why: {
    ...operation('GET', `${ADMIN_BASE}/why/{ref}`, 'member'),
    summary: 'Explain a request by its id or `error_ref`: the limit with its numbers, or the receipt.',
    response: Explanation,
    problems: [],
  },
} as const satisfies Record<string, AdminEndpoint>;
