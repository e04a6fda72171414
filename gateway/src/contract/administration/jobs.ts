/** The video jobs of a space, the files they made, and uploaded references. */
import { Type } from 'typebox';
import { jobStatuses } from '../job-statuses.ts';
import { type ReferenceKind, referenceKinds, referenceTracks } from '../reference-kinds.ts';
import { type AdminEndpoint, IN_SPACE, operation } from './admin-endpoint.ts';
import { count, orNull, shape, text, timeOf, units } from './fields.ts';
import { filterFields } from './filter-fields.ts';
import { listQuery, pageOf } from './lists.ts';

const owned = {
  owner: orNull(text('The e-mail address of the member it belongs to. Null: it belongs to a shared key.')),
  key: orNull(text('The name of the shared key it belongs to. Null: it belongs to a member.')),
};

const job = {
  id: text('The id of the job.'),
  ...owned,
  model: text('The model.'),
  status: Type.Enum([...jobStatuses], { description: 'How far it is.' }),
  progress: orNull(count('Percent done. Null: unknown.')),
  problem: orNull(text('The error code of a failed job. Null: it did not fail.')),
  cost: orNull(units('What it cost. Null: unknown, or not settled yet.')),
  created_at: timeOf('When it was created.'),
  started_at: orNull(timeOf('When the provider started it. Null: not yet.')),
  completed_at: orNull(timeOf('When it ended. Null: not yet.')),
  expires_at: timeOf('When its files are deleted.'),
};

export const AdminJob = shape('A video job.', job);
export const AdminJobPage = pageOf(AdminJob, 'The jobs, newest first.');

export const AdminMedia = shape('A file that a job made.', {
  id: text('The id of the file.'),
  ...owned,
  job_id: text('The job that made it.'),
  status: text('Whether it is ready.'),
  mime_type: text('Its media type.'),
  bytes: orNull(count('Its size. Null: not ready yet.')),
  duration_seconds: orNull(Type.Number({ description: 'How long it plays. Null: unknown.' })),
  width: orNull(count('Its width in pixels. Null: unknown.')),
  height: orNull(count('Its height in pixels. Null: unknown.')),
  created_at: timeOf('When it was created.'),
  expires_at: orNull(timeOf('When it is deleted. Null: never.')),
});

export const AdminMediaPage = pageOf(AdminMedia, 'The files, newest first.');

export const AdminJobWithFiles = shape('A video job and the files it made.', {
  ...job,
  files: Type.Array(AdminMedia, { description: 'The files it made.' }),
});

const kinds = Object.keys(referenceKinds) as ReferenceKind[];

export const AdminReference = shape('An uploaded reference.', {
  id: text('The id of the reference.'),
  ...owned,
  kind: Type.Enum(kinds, { description: 'image, video or audio.' }),
  track: Type.Enum([...referenceTracks], { description: 'How it is handed to providers.' }),
  mime_type: text('Its media type.'),
  bytes: count('Its size.'),
  created_at: timeOf('When it was uploaded.'),
  expires_at: timeOf('When it is deleted; each use extends it.'),
});

export const AdminReferencePage = pageOf(AdminReference, 'The references, newest first.');

export const jobAdminEndpoints = {
  'jobs.list': {
    ...operation('GET', `${IN_SPACE}/jobs`, 'member'),
    summary: 'List video jobs, newest first.',
    query: listQuery(filterFields('jobs.list')),
    response: AdminJobPage,
    csv: true,
  },
  'jobs.get': {
    ...operation('GET', `${IN_SPACE}/jobs/{job}`, 'member'),
    summary: 'Get one video job.',
    response: AdminJobWithFiles,
    problems: ['job_not_found'],
  },
  'media.list': {
    ...operation('GET', `${IN_SPACE}/media`, 'member'),
    summary: 'List the files that jobs made, newest first.',
    query: listQuery(filterFields('media.list')),
    response: AdminMediaPage,
  },
  'references.list': {
    ...operation('GET', `${IN_SPACE}/references`, 'member'),
    summary: 'List uploaded references, newest first.',
    query: listQuery(filterFields('references.list')),
    response: AdminReferencePage,
  },
} as const satisfies Record<string, AdminEndpoint>;
