/** Administration of projects and their builds, whose logs the members of a space can read. */
import { Type } from 'typebox';
import { type AdminEndpoint, IN_SPACE, operation } from './admin-endpoint.ts';
import { Label, orNull, ProjectId, ProjectIds, request, shape, text, timeOf, withUse } from './fields.ts';
import { listQuery, pageOf } from './lists.ts';
import { projectIdStates } from './words.ts';

const project = {
  id: text('The id of the project.'),
  name: text('The display name.'),
  space: text('The name of the space.'),
};

export const AdminProject = shape('A project, whose logs the members of its space can read.', project);

export const AddProjectRequest = request('A new project.', {
  id: ProjectId,
  name: Type.Optional(withUse(Label, 'The display name. Default: the id.')),
});

export const RemovedProject = shape('A project that was removed.', {
  id: project.id,
  name: project.name,
  removed: Type.Literal(true, { description: 'Always true.' }),
});

const buildStates = ['running', 'succeeded', 'failed'] as const;
const BuildState = Type.Enum(buildStates, { description: 'How far the build is.' });

const listedBuild = {
  id: text('The id of the build.'),
  status: BuildState,
  started_at: timeOf('When it started.'),
  finished_at: orNull(timeOf('When it finished. Null: it is running.')),
};

export const ListedBuild = shape('A build of a project.', listedBuild);

export const ListedProject = shape('A project in a list.', {
  ...project,
  created_at: timeOf('When it was added.'),
  last_build: orNull(shape('The newest build. Null: none was recorded.', listedBuild)),
});

export const ProjectPage = pageOf(ListedProject, 'The projects, ordered by id.');

export const BuildPage = pageOf(ListedBuild, 'The builds, newest first.');

const build = {
  id: text('The id of the build.'),
  project: text('The id of the project.'),
  status: BuildState,
};

export const StartedBuild = shape('A build that started.', {
  ...build,
  log: text('The file in the data folder that its log goes to.'),
});

export const FinishBuildRequest = request('How a build ended.', {
  status: Type.Enum(['succeeded', 'failed'], { description: 'How it ended.' }),
});

export const FinishedBuild = shape('A build that ended.', build);

export const RenameProjectRequest = request('A new display name.', {
  name: withUse(Label, 'The display name in lists.'),
});

export const HeldProjectIds = shape('Ids of projects that belong to a space.', {
  ids: text('An id, such as shop, or a prefix, such as shop-*, for all ids that begin with it.'),
  space: text('The name of the space.'),
  state: Type.Enum(projectIdStates, {
    description:
      'given: an operator gave them to the space, whose administrators may add projects with them. used: a project has the id. removed: a project had it; the id stays with the space until an operator releases it.',
  }),
  since: timeOf('Since when the space has them.'),
});

export const ProjectIdPage = pageOf(HeldProjectIds, 'The ids of projects of a space, in alphabetical order.');

export const GiveProjectIdsRequest = request('Ids for a space.', { ids: ProjectIds });

export const ReleasedProjectIds = shape('Ids that the space has given up.', {
  ids: text('The id or the prefix.'),
  space: text('The name of the space.'),
  released: Type.Literal(true, { description: 'Always true.' }),
});

const aProject = `${IN_SPACE}/projects/{project}` as const;

export const projectEndpoints = {
  'projects.list': {
    ...operation('GET', `${IN_SPACE}/projects`, 'member'),
    summary: 'List the projects of a space.',
    query: listQuery({}),
    response: ProjectPage,
  },
  'projects.add': {
    ...operation('POST', `${IN_SPACE}/projects`, 'admin'),
    summary: 'Add a project; its id is one that the space has.',
    request: AddProjectRequest,
    response: AdminProject,
    problems: ['conflict'],
  },
  'projects.rename': {
    ...operation('PUT', `${aProject}/name`, 'admin'),
    summary: 'Change the display name of a project; its id stays.',
    request: RenameProjectRequest,
    response: AdminProject,
    problems: ['conflict'],
  },
  'projects.remove': {
    ...operation('DELETE', aProject, 'admin'),
    summary: 'Remove a project; its id stays with the space.',
    response: RemovedProject,
  },
  'projectIds.list': {
    ...operation('GET', `${IN_SPACE}/project-ids`, 'admin'),
    summary: 'List the ids of projects that a space has.',
    query: listQuery({}),
    response: ProjectIdPage,
  },
  'projectIds.give': {
    ...operation('POST', `${IN_SPACE}/project-ids`, 'operator'),
    summary: 'Give a space an id, or all ids with a prefix.',
    request: GiveProjectIdsRequest,
    response: HeldProjectIds,
    problems: ['conflict'],
  },
  'projectIds.release': {
    ...operation('DELETE', `${IN_SPACE}/project-ids/{ids}`, 'operator'),
    summary: 'Take an id or a prefix from a space.',
    response: ReleasedProjectIds,
    problems: ['conflict'],
  },
  'builds.list': {
    ...operation('GET', `${aProject}/builds`, 'member'),
    summary: 'List the builds of a project, newest first.',
    query: listQuery({}),
    response: BuildPage,
  },
  'builds.start': {
    ...operation('POST', `${aProject}/builds`, 'admin'),
    summary: 'Record that a build started.',
    response: StartedBuild,
  },
  'builds.finish': {
    ...operation('POST', `${IN_SPACE}/builds/{build}/finish`, 'admin'),
    summary: 'Record how a build ended.',
    request: FinishBuildRequest,
    response: FinishedBuild,
    problems: ['conflict'],
  },
} as const satisfies Record<string, AdminEndpoint>;
