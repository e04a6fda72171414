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
import {
  type AdminArgs,
  type AdminCommand,
  AdminError,
  LABEL,
  orTaken,
  spaceNamed,
  text,
} from './admin-command.ts';

const BUILDS_LISTED_MAX = 100;

export const projectCommands: Readonly<Record<string, AdminCommand>> = {
  async 'projects.add'({ db, clock }, args) {
    const space = await spaceNamed(db, args);
    const id = text(args, 'id', PROJECT_ID);
    const name = typeof args.name === 'string' ? text(args, 'name', LABEL) : id;
    if (await isProjectIdUsed(db, id)) {
      throw new AdminError(`The id ${id} is that of a project, or of one that was removed. Choose another.`);
    }
    await orTaken(`There is already a project named ${name} in ${space.name}.`, () =>
      insertProject(db, { id, spaceId: space.id, name, createdAt: clock.now() }),
    );
    return { id, name, space: space.name };
  },
  async 'projects.list'({ db }, args) {
    const space = await spaceNamed(db, args);
    return (await listProjects(db, space.id)).map(({ id, name, createdAt }) => {
      return { id, name, space: space.name, created: isoOf(createdAt) };
    });
  },
  async 'projects.remove'({ db, clock }, args) {
    const { id, name } = await projectNamed(db, args, 'id');
    await removeProject(db, id, clock.now());
    return { id, name, removed: true };
  },
  async 'builds.start'({ db, clock }, args) {
    const project = await projectNamed(db, args, 'project');
    const id = newId('bld', clock.now());
    await insertBuild(db, { id, projectId: project.id, startedAt: clock.now() });
    return { id, project: project.id, status: 'running', log: buildLogFile(id) };
  },
  async 'builds.finish'({ db, clock }, args) {
    const id = text(args, 'id', /^bld_[0-9a-z]{26}$/);
    const status = text(args, 'status', /^(succeeded|failed)$/) as 'succeeded' | 'failed';
    const build = await findBuild(db, id);
    if (build === null) throw new AdminError(`There is no build ${id}. "tollgate builds list" shows them.`);
    if (!(await finishBuild(db, { id, status, finishedAt: clock.now() })))
      throw new AdminError(`The build ${id} is finished already.`);
    return { id, project: build.projectId, status };
  },
  async 'builds.list'({ db }, args) {
    const project = await projectNamed(db, args, 'project');
    const builds = await listBuilds(db, { projectId: project.id, countMax: BUILDS_LISTED_MAX });
    return builds.map(({ id, status, startedAt, finishedAt }) => ({
      id,
      status,
      started: isoOf(startedAt),
      finished: finishedAt === null ? null : isoOf(finishedAt),
    }));
  },
};

async function projectNamed(db: Queryable, args: AdminArgs, field: 'id' | 'project'): Promise<Project> {
  const id = text(args, field, PROJECT_ID);
  const project = await findProject(db, id);
  if (project !== null) return project;
  throw new AdminError(`There is no project ${id}. "tollgate projects list" shows them.`);
}
