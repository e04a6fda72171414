/** The projects of a space and their builds. */
import {
  buildLogFile,
  findBuild,
  findProject,
  finishBuild,
  insertBuild,
  insertProject,
  isProjectIdUsed,
  listBuilds,
  listProjects,
  PROJECT_ID,
  type Project,
  removeProject,
} from '../access/projects.store.ts';
import type { Queryable } from '../database/database.ts';
import { newId } from '../kernel/ids.ts';
import { isoOf } from '../kernel/time.ts';
import { LABEL, orTaken, spaceNamed, text } from './args.ts';
import { type AdminArgs, type AdminCommands, AdminError, change, question } from './command.ts';

const BUILDS_LISTED_MAX = 100;

export const projectCommands: AdminCommands = {
  'projects.add': change('projects.add', async (tx, args, now) => {
    const space = await spaceNamed(tx, args);
    const id = text(args, 'id', PROJECT_ID);
    const name = typeof args.name === 'string' ? text(args, 'name', LABEL) : id;
    if (await isProjectIdUsed(tx, id)) {
      throw new AdminError(`The id ${id} is that of a project, or of one that was removed. Choose another.`);
    }
    await orTaken(`There is already a project named ${name} in ${space.name}.`, () =>
      insertProject(tx, { id, spaceId: space.id, name, createdAt: now }),
    );
    const after = { id, name, space: space.name };
    return { answer: after, space, subject: id, after };
  }),

  'projects.list': question(async ({ db }, args) => {
    const space = await spaceNamed(db, args);
    return (await listProjects(db, space.id)).map(({ id, name, createdAt }) => {
      return { id, name, space: space.name, created: isoOf(createdAt) };
    });
  }),

  'projects.remove': change('projects.remove', async (tx, args, now) => {
    const { id, name, spaceId } = await projectNamed(tx, args, 'id');
    await removeProject(tx, id, now);
    const before = { id, name };
    return { answer: { ...before, removed: true }, space: { id: spaceId }, subject: id, before };
  }),

  'builds.start': change('builds.start', async (tx, args, now) => {
    const project = await projectNamed(tx, args, 'project');
    const id = newId('bld', now);
    await insertBuild(tx, { id, projectId: project.id, startedAt: now });
    const after = { project: project.id, status: 'running' };
    const answer = { id, ...after, log: buildLogFile(id) };
    return { answer, space: { id: project.spaceId }, subject: id, after };
  }),

  'builds.finish': change('builds.finish', async (tx, args, now) => {
    const id = text(args, 'id', /^bld_[0-9a-z]{26}$/);
    const status = text(args, 'status', /^(succeeded|failed)$/) as 'succeeded' | 'failed';
    const build = await findBuild(tx, id);
    if (build === null) throw new AdminError(`There is no build ${id}. "tollgate builds list" shows them.`);
    if (!(await finishBuild(tx, { id, status, finishedAt: now })))
      throw new AdminError(`The build ${id} is finished already.`);
    const [before, after] = [{ status: 'running' }, { status }];
    const answer = { id, project: build.projectId, status };
    return { answer, space: { id: build.spaceId }, subject: id, before, after };
  }),

  'builds.list': question(async ({ db }, args) => {
    const project = await projectNamed(db, args, 'project');
    const builds = await listBuilds(db, { projectId: project.id, countMax: BUILDS_LISTED_MAX });
    return builds.map(({ id, status, startedAt, finishedAt }) => ({
      id,
      status,
      started: isoOf(startedAt),
      finished: finishedAt === null ? null : isoOf(finishedAt),
    }));
  }),
};

async function projectNamed(db: Queryable, args: AdminArgs, field: 'id' | 'project'): Promise<Project> {
  const id = text(args, field, PROJECT_ID);
  const project = await findProject(db, id);
  if (project !== null) return project;
  throw new AdminError(`There is no project ${id}. "tollgate projects list" shows them.`);
}
