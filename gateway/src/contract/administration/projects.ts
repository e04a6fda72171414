/** Administration of projects and their builds, whose logs the members of a space can read. */
import { Type } from 'typebox';
import { type AdminEndpoint, IN_SPACE, operation } from './admin-endpoint.ts';
import { fields, Label, orNull, ProjectId, text, timeOf } from './fields.ts';
import { listQuery, pageOf } from './lists.ts';

const project = {
  id: text('The id of the project.'),
  name: text('The display name.'),
  space: text('The name of the space.'),
};

const buildStates = ['running', 'succeeded', 'failed'] as const;
const BuildState = Type.Enum(buildStates, { description: 'How far the build is.' });

const aProject = `${IN_SPACE}/projects/{project}` as const;

export const projectEndpoints = {
  'projects.list': {
    ...operation('GET', `${IN_SPACE}/projects`, 'member'),
    summary: 'List the projects of a space.',
    query: listQuery({}),
    response: pageOf(
      Type.Object({ ...project, created_at: timeOf('When it was added.') }),
      'The projects, ordered by id.',
    ),
    problems: [],
  },
  'projects.add': {
    ...operation('POST', `${IN_SPACE}/projects`, 'admin'),
    summary: 'Add a project; its pods carry the id in the label tollgate.dev/project.',
    request: fields({
      id: ProjectId,
      name: Type.Optional(
        Type.String({ ...Label, description: '1 to 120 characters on one line. Default: the id.' }),
      ),
    }),
    idempotent: true,
    response: Type.Object(project),
    problems: ['conflict'],
  },
  'projects.rename': {
    ...operation('PUT', `${aProject}/name`, 'admin'),
    summary: 'Change the display name of a project; its id stays.',
    request: fields({ name: Label }),
    idempotent: true,
    response: Type.Object(project),
    problems: ['conflict'],
  },
  'projects.remove': {
    ...operation('DELETE', aProject, 'admin'),
    summary: 'Remove a project; its id cannot be used again.',
    idempotent: true,
    response: Type.Object({
      id: project.id,
      name: project.name,
      removed: Type.Literal(true, { description: 'Always true.' }),
    }),
    problems: [],
  },
  'builds.list': {
    ...operation('GET', `${aProject}/builds`, 'member'),
    summary: 'List the builds of a project, newest first.',
    query: listQuery({}),
    response: pageOf(
      Type.Object({
        id: text('The id of the build.'),
        status: BuildState,
        started_at: timeOf('When it started.'),
        finished_at: orNull(timeOf('When it finished. Null: it is running.')),
      }),
      'The builds, newest first.',
    ),
    problems: [],
  },
  'builds.start': {
    ...operation('POST', `${aProject}/builds`, 'admin'),
    summary: 'Record that a build started.',
    idempotent: true,
    response: Type.Object({
      id: text('The id of the build.'),
      project: text('The id of the project.'),
      status: BuildState,
      log: text('The file in the data folder that its log goes to.'),
    }),
    problems: [],
  },
  'builds.finish': {
    ...operation('POST', `${IN_SPACE}/builds/{build}/finish`, 'admin'),
    summary: 'Record how a build ended.',
    request: fields({
      status: Type.Enum(['succeeded', 'failed'], { description: 'How it ended.' }),
    }),
    idempotent: true,
    response: Type.Object({
      id: text('The id of the build.'),
      project: text('The id of the project.'),
      status: BuildState,
    }),
    problems: ['conflict'],
  },
} as const satisfies Record<string, AdminEndpoint>;
