/** The audit log, and the explanation of one request. */
import { Type } from 'typebox';
import { Explanation } from '../explanation.ts';
import { ADMIN_BASE, type AdminEndpoint, IN_SPACE, operation } from './admin-endpoint.ts';
import { count, orNull, shape, text, timeOf } from './fields.ts';
import { filterFields } from './filter-fields.ts';
import { listQuery, pageOf } from './lists.ts';

const Facts = Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
  description: 'The fields as they were or became. Null: there were none.',
});

export const RecordedChange = shape('One change. Secrets are never recorded.', {
  id: count('The number of the line.'),
  at: timeOf('When it happened.'),
  actor: text('Who did it.'),
  action: text('What was done, such as keys.rotate.'),
  space: orNull(text('The name of the space. Null: it concerns the installation.')),
  subject: text('The name of what was changed.'),
  before: Facts,
  after: Facts,
});

export const AuditPage = pageOf(RecordedChange, 'The lines, newest first.');

export const auditEndpoints = {
  'audit.list': {
    ...operation('GET', `${IN_SPACE}/audit`, 'admin'),
    summary: 'List who changed what in a space, newest first.',
    query: listQuery(filterFields('audit.list')),
    response: AuditPage,
    csv: true,
  },
  'audit.get': {
    ...operation('GET', `${IN_SPACE}/audit/{line}`, 'admin'),
    summary: 'Get one line of the audit log of a space.',
    response: RecordedChange,
  },
  'audit.all': {
    ...operation('GET', `${ADMIN_BASE}/audit`, 'operator'),
    summary: 'List who changed what in the installation, newest first.',
    query: listQuery(filterFields('audit.all')),
    response: AuditPage,
    csv: true,
  },
  'audit.getAny': {
    ...operation('GET', `${ADMIN_BASE}/audit/{line}`, 'operator'),
    summary: 'Get one line of the audit log of the installation.',
    response: RecordedChange,
    problems: ['not_found'],
  },
  why: {
    ...operation('GET', `${ADMIN_BASE}/why/{ref}`, 'member'),
    summary: 'Explain a request by its id or `error_ref`.',
    operationId: 'explainRequest',
    response: Explanation,
    problems: ['not_found'],
  },
} as const satisfies Record<string, AdminEndpoint>;
