/** Administration of batches: their progress, their settlement, and what is quarantined. */
import { Type } from 'typebox';
import { ADMIN_BASE, type AdminEndpoint, IN_SPACE, operation } from './admin-endpoint.ts';
import { count, orNull, shape, text, timeOf, units } from './fields.ts';
import { filterFields } from './filter-fields.ts';
import { listQuery, pageOf } from './lists.ts';
import { batchStatuses, settlementStates } from './words.ts';

export const AdminBatch = shape('A batch, its progress and its charge.', {
  id: text('The id of the batch.'),
  space: text('The name of the space.'),
  model: text('The model of its lines.'),
  endpoint: text('The endpoint of its lines.'),
  owner: orNull(text('The e-mail address of the member who submitted it. Null: a shared key did.')),
  key: orNull(text('The name of the key that submitted it.')),
  status: Type.Enum(batchStatuses, { description: 'How far its lines are.' }),
  total: count('How many lines it has.'),
  completed: count('How many lines succeeded.'),
  failed: count('How many lines failed.'),
  settlement: Type.Enum(settlementStates, { description: 'How far its charge is.' }),
  reason: orNull(text('Why its settlement is quarantined. Null: it is not.')),
  units: orNull(units('What it cost. Null: not settled yet.')),
  output_file_id: orNull(text('The file with the results. Null: there is none yet.')),
  error_file_id: orNull(text('The file with the errors. Null: there is none.')),
  input_file_id: text('The uploaded file.'),
  created_at: timeOf('When it was submitted.'),
  ended_at: orNull(timeOf('When its lines ended. Null: not yet.')),
  settled_at: orNull(timeOf('When it was charged. Null: not yet.')),
  expires_at: timeOf('When lines that have not run by then expire.'),
});

export const AdminBatchPage = pageOf(AdminBatch, 'The batches, newest first.');

export const RequeuedBatch = shape('A batch whose settlement is tried again.', {
  id: text('The id of the batch.'),
  settlement: Type.Literal('queued', { description: 'Always "queued".' }),
});

export const batchAdminEndpoints = {
  'batches.list': {
    ...operation('GET', `${IN_SPACE}/batches`, 'member'),
    summary: 'List the batches of a space, newest first.',
    query: listQuery(filterFields('batches.list')),
    response: AdminBatchPage,
    csv: true,
  },
  'batches.get': {
    ...operation('GET', `${IN_SPACE}/batches/{batch}`, 'member'),
    summary: 'Get one batch.',
    response: AdminBatch,
    problems: ['batch_not_found'],
  },
  'quarantine.list': {
    ...operation('GET', `${ADMIN_BASE}/quarantine`, 'operator'),
    summary: 'List the quarantined batches of all spaces.',
    query: listQuery({}),
    response: AdminBatchPage,
  },
  'batches.requeue': {
    ...operation('POST', `${ADMIN_BASE}/quarantine/{batch}/requeue`, 'operator'),
    summary: 'Settle a quarantined batch again.',
    response: RequeuedBatch,
    problems: ['batch_not_found', 'conflict'],
  },
} as const satisfies Record<string, AdminEndpoint>;
