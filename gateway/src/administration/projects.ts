/** The projects of a space and their builds. */
import {
  buildLogFile,
  findProject,
  finishBuild,
  insertBuild,
  insertProject,
  removeProject,
  renameProject,
  restoreProject,
} from '../access/projects.store.ts';
import { newId } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import { kstOf } from '../kernel/time.ts';
import { readBuildPage, readProjectPage } from '../reports/lists/project-page.store.ts';
import { buildNamed, orTaken, projectNamed } from './named-records.ts';
import { change, read } from './operation.ts';
import { answeredPage, shownRow, wantedPage } from './page.ts';
import { checkProjectId } from './project-ids.ts';

const add = change('projects.add', async ({ tx, now, actor, space }, { id, name = id }) => {
  await checkProjectId(tx, { space, isOperator: actor.isOperator }, id);
  if ((await findProject(tx, id)) !== null)
    throw new Problem('conflict', {
      detail: `There is already a project ${id} in ${space.name}.`,
      param: 'id',
    });
  const project = { id, spaceId: space.id, name, createdAt: now };
  await orTaken(`There is already a project named ${name} in ${space.name}.`, 'name', async () => {
    if (!(await restoreProject(tx, project))) await insertProject(tx, project);
  });
  const after = { id, name, space: space.name };
  return { answer: after, subject: id, after };
});

const rename = change('projects.rename', async ({ tx, space }, input) => {
  const { id, name: former } = await projectNamed(tx, space, input.project);
  const { name } = input;
  await orTaken(`There is already a project named ${name} in ${space.name}.`, 'name', () =>
    renameProject(tx, id, name),
  );
  return { answer: { id, name, space: space.name }, subject: id, before: { name: former }, after: { name } };
});

const remove = change('projects.remove', async ({ tx, now, space }, input) => {
  const { id, name } = await projectNamed(tx, space, input.project);
  await removeProject(tx, id, now);
  const before = { id, name };
  return { answer: { ...before, removed: true as const }, subject: id, before };
});

const startBuild = change('builds.start', async ({ tx, now, space }, input) => {
  const project = await projectNamed(tx, space, input.project);
  const id = newId('bld', now);
  await insertBuild(tx, { id, projectId: project.id, startedAt: now });
  const after = { project: project.id, status: 'running' as const };
  return { answer: { id, ...after, log: buildLogFile(id) }, subject: id, after };
});

const endBuild = change('builds.finish', async ({ tx, now, space }, { build: id, status }) => {
  const build = await buildNamed(tx, space, id);
  if (!(await finishBuild(tx, { id, status, finishedAt: now })))
    throw new Problem('conflict', { detail: `The build ${id} is already finished.` });
  const [before, after] = [{ status: 'running' }, { status }];
  return { answer: { id, project: build.projectId, status }, subject: id, before, after };
});

const list = read('projects.list', async ({ db, space }, input) => {
  const page = await readProjectPage(db, { spaceId: space.id, ...wantedPage(input) });
  return answeredPage(page, ({ id, name, created_at, last_build }) => ({
    id,
    name,
    space: space.name,
    created_at: kstOf(created_at),
    last_build: last_build && shownRow(last_build),
  }));
});

const listOfBuilds = read('builds.list', async ({ db, space }, input) => {
  const { id } = await projectNamed(db, space, input.project);
  const page = await readBuildPage(db, { projectId: id, ...wantedPage(input) });
  return answeredPage(page, shownRow);
});

export const projectOperations = [add, list, listOfBuilds, rename, remove, startBuild, endBuild] as const;
