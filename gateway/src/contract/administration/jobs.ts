/** The video jobs of a space, the files they made, and uploaded references. */
import { Type } from 'typebox';
import { jobStatuses } from '../job-statuses.ts';
import { type ReferenceKind, referenceKinds, referenceTracks } from '../reference-kinds.ts';
import { type AdminEndpoint, IN_SPACE, operation } from './admin-endpoint.ts';
import { count, Email, Label, orNull, Time, text, timeOf, units } from './fields.ts';
import { listQuery, pageOf } from './lists.ts';

const owned = {
  owner: orNull(text('The e-mail address of the member it belongs to. Null: it belongs to a shared key.')),
  key: orNull(text('The name of the shared key it belongs to. Null: it belongs to a member.')),
};

const Job = Type.Object({
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
});

const Media = Type.Object({
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

const kinds = Object.keys(referenceKinds) as ReferenceKind[];

const Reference = Type.Object({
  id: text('The id of the reference.'),
  ...owned,
  kind: Type.Enum(kinds, { description: 'image, video or audio.' }),
  track: Type.Enum([...referenceTracks], { description: 'How it is handed to providers.' }),
  mime_type: text('Its media type.'),
  bytes: count('Its size.'),
  created_at: timeOf('When it was uploaded.'),
  expires_at: timeOf('When it is deleted; each use extends it.'),
});

const Member = Type.Optional(Type.String({ ...Email, description: 'Only those of this member.' }));

export const jobAdminEndpoints = {
  'jobs.list': {
    ...operation('GET', `${IN_SPACE}/jobs`, 'member'),
    summary: 'List video jobs, newest first.',
    query: listQuery({
      status: Type.Optional(Type.Enum([...jobStatuses], { description: 'Only jobs that are this far.' })),
      model: Type.Optional(Type.String({ ...Label, description: 'Only jobs of this model.' })),
      email: Member,
      from: Type.Optional(Time),
      until: Type.Optional(Time),
    }),
    response: pageOf(Job, 'The jobs, newest first.'),
    csv: true,
    problems: [],
  },
  'jobs.get': {
    ...operation('GET', `${IN_SPACE}/jobs/{job}`, 'member'),
    summary: 'Get one video job and the files it made.',
    response: Type.Object({
      ...Job.properties,
      files: Type.Array(Media, { description: 'The files it made.' }),
    }),
    problems: ['job_not_found'],
  },
  'media.list': {
    ...operation('GET', `${IN_SPACE}/media`, 'member'),
    summary: 'List the files that jobs made, newest first.',
    query: listQuery({ email: Member }),
    response: pageOf(Media, 'The files, newest first.'),
    problems: [],
  },
  'references.list': {
    ...operation('GET', `${IN_SPACE}/references`, 'member'),
    summary: 'List uploaded references, newest first.',
    query: listQuery({
      kind: Type.Optional(Type.Enum(kinds, { description: 'Only references of this kind.' })),
      email: Member,
    }),
    response: pageOf(Reference, 'The references, newest first.'),
    problems: [],
  },
} as const satisfies Record<string, AdminEndpoint>;
