/** The requests of a space, and what happened in it lately. */
import { Type } from 'typebox';
import { Explanation } from '../explanation.ts';
import { type AdminEndpoint, IN_SPACE, operation } from './admin-endpoint.ts';
import { count, orNull, shape, text, timeOf, units, yes } from './fields.ts';
import { filterFields } from './filter-fields.ts';
import { listQuery, pageOf } from './lists.ts';
import { requestStatuses } from './words.ts';

export const AdminRequestRow = shape('A request and how it ended.', {
  id: text('The id of the request; also its `error_ref`.'),
  started_at: timeOf('When it started.'),
  status: Type.Enum(requestStatuses, { description: 'How it ended; a rejected request reached no model.' }),
  problem: orNull(text('The error code. Null: there was none.')),
  endpoint: text('The kind of call, such as chat or embeddings.'),
  model: orNull(text('The model. Null for a rejected request.')),
  key: orNull(text('The name of the key. Null: there was no valid key.')),
  member: orNull(text('The e-mail address of the owner of a personal key. Null: a shared key.')),
  streamed: orNull(yes('Whether the answer was streamed. Null for a rejected request.')),
  first_byte_ms: orNull(count('Milliseconds to the first byte of the answer. Null: there was none.')),
  duration_ms: orNull(count('Milliseconds in all. Null for a rejected request.')),
  input_tokens: orNull(count('Tokens of the prompt. Null: unknown.')),
  output_tokens: orNull(count('Tokens of the answer. Null: unknown.')),
  cost: orNull(units('What it cost, after corrections. Null: unknown, or rejected.')),
  corrected: yes('Whether the cost was corrected.'),
  attempts: orNull(count('How often a provider was called. Null for a rejected request.')),
  attribution: orNull(
    Type.Record(Type.String(), orNull(Type.String()), {
      description:
        'What its usage is reported under: `tag:<key>`, `end_user`, `session`. A null stands for a value that is reported as other. Null: nothing.',
    }),
  ),
});

export const AdminRequestPage = pageOf(
  AdminRequestRow,
  'The requests, newest first. With filters other than time, key and member a page can be short and still have a next one.',
);

export const requestEndpoints = {
  'requests.list': {
    ...operation('GET', `${IN_SPACE}/requests`, 'member'),
    summary: 'List requests, newest first.',
    query: listQuery(filterFields('requests.list')),
    response: AdminRequestPage,
    csv: true,
  },
  'requests.get': {
    ...operation('GET', `${IN_SPACE}/requests/{request}`, 'member'),
    summary: 'Get one request: its receipt, or why it was rejected.',
    response: Explanation,
  },
} as const satisfies Record<string, AdminEndpoint>;
