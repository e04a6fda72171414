/** The projects of a space and their builds. */
import { Type } from 'typebox';
import {
  buildLogFile,
  findBuild,
  finishBuild,
  insertBuild,
  insertProject,
  isProjectIdUsed,
  listBuilds,
  listProjects,
  removeProject,
} from '../access/projects.store.ts';
import { newId } from '../kernel/ids.ts';
import { isoOf } from '../kernel/time.ts';
import { AdminError } from './admin-error.ts';
import { fields, generatedId, inSpace, Label, ProjectId } from './input-fields.ts';
import { orTaken, projectNamed, spaceNamed } from './named-records.ts';
import { change, read } from './operation.ts';

const BUILDS_LISTED_MAX = 100;

const add = change({
  name: 'projects.add',
  input: fields({ id: ProjectId, ...inSpace, name: Type.Optional(Label) }),
  async run({ tx, now }, input) {
    const { id, name = id } = input;
    const space = await spaceNamed(tx, input);
    if (await isProjectIdUsed(tx, id)) {
      throw new AdminError(`The id ${id} belongs to a project, or to one that was removed. Choose another.`);
    }
    await orTaken(`There is already a project named ${name} in ${space.name}.`, () =>
      insertProject(tx, { id, spaceId: space.id, name, createdAt: now }),
    );
    const after = { id, name, space: space.name };
    return { answer: after, space, subject: id, after };
  },
});

const list = read({
  name: 'projects.list',
  input: fields(inSpace),
  async run({ db }, input) {
    const space = await spaceNamed(db, input);
    return (await listProjects(db, space.id)).map(({ id, name, createdAt }) => {
      return { id, name, space: space.name, created: isoOf(createdAt) };
    });
  },
});

const remove = change({
  name: 'projects.remove',
  input: fields({ id: ProjectId }),
  async run({ tx, now }, input) {
    const { id, name, spaceId } = await projectNamed(tx, input.id);
    await removeProject(tx, id, now);
    const before = { id, name };
    return { answer: { ...before, removed: true }, space: { id: spaceId }, subject: id, before };
  },
});

const startBuild = change({
  name: 'builds.start',
  input: fields({ project: ProjectId }),
  async run({ tx, now }, input) {
    const project = await projectNamed(tx, input.project);
    const id = newId('bld', now);
    await insertBuild(tx, { id, projectId: project.id, startedAt: now });
    const after = { project: project.id, status: 'running' };
    const answer = { id, ...after, log: buildLogFile(id) };
    return { answer, space: { id: project.spaceId }, subject: id, after };
  },
});

const endBuild = change({
  name: 'builds.finish',
  input: fields({ id: generatedId('bld'), status: Type.Enum(['succeeded', 'failed']) }),
  async run({ tx, now }, { id, status }) {
    const build = await findBuild(tx, id);
    if (build === null) throw new AdminError(`There is no build ${id}. "tollgate builds list" shows them.`);
    if (!(await finishBuild(tx, { id, status, finishedAt: now })))
      throw new AdminError(`The build ${id} is already finished.`);
    const [before, after] = [{ status: 'running' }, { status }];
    const answer = { id, project: build.projectId, status };
    return { answer, space: { id: build.spaceId }, subject: id, before, after };
  },
});

const listOfBuilds = read({
  name: 'builds.list',
  input: fields({ project: ProjectId }),
  async run({ db }, input) {
    const project = await projectNamed(db, input.project);
    const builds = await listBuilds(db, { projectId: project.id, countMax: BUILDS_LISTED_MAX });
    return builds.map(({ id, status, startedAt, finishedAt }) => ({
      id,
      status,
      started: isoOf(startedAt),
      finished: finishedAt === null ? null : isoOf(finishedAt),
    }));
  },
});

export const projectOperations = [add, list, remove, startBuild, endBuild, listOfBuilds] as const;
