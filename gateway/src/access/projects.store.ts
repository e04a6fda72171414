/** Projects of a space, and their builds. */
import { PROJECT_ID } from '../contract/administration/fields.ts';
import { OWN_PROJECT } from '../contract/administration/words.ts';
import { type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { isId } from '../kernel/ids.ts';
import type { Instant } from '../kernel/time.ts';

export interface Project {
  readonly id: string;
  readonly spaceId: string;
  readonly name: string;
  readonly createdAt: Instant;
}

export type BuildStatus = 'running' | 'succeeded' | 'failed';

export interface Build {
  readonly id: string;
  readonly projectId: string;
  readonly spaceId: string;
  readonly status: BuildStatus;
  readonly startedAt: Instant;
  readonly finishedAt: Instant | null;
}

/** The file of a build's log, relative to the data folder. */
export function buildLogFile(buildId: string): string {
  return `builds/${buildId}.log`;
}

/**
 * As a condition on `projects p`. The gateway's own log belongs to no space; a row that an earlier version let a space have
 * is ignored.
 */
export const isProject = sql`p.removed_at is null and p.id <> ${OWN_PROJECT}`;

export async function insertProject(db: Queryable, project: Project): Promise<void> {
  await db.query(sql`
    insert into projects (id, space_id, name, created_at)
    values (${project.id}, ${project.spaceId}, ${project.name}, ${timestamp(project.createdAt)})`);
}

/** Takes any text as the id. The caller has to check which space the project belongs to. */
export async function findProject(db: Queryable, id: string): Promise<Project | null> {
  if (!PROJECT_ID.test(id)) return null;
  const [project] = await db.query<Project>(sql`
    select p.id, p.space_id as "spaceId", p.name, p.created_at as "createdAt"
    from projects p where p.id = ${id} and ${isProject}`);
  return project ?? null;
}

/** Adds a project of the space again that was removed; false if there is none. Its builds are those it had. */
export async function restoreProject(tx: Transaction, project: Project): Promise<boolean> {
  const rows = await tx.query(sql`
    update projects set removed_at = null, name = ${project.name}, created_at = ${timestamp(project.createdAt)}
    where id = ${project.id} and space_id = ${project.spaceId} and removed_at is not null returning id`);
  return rows.length > 0;
}

/** Deletes a removed project of the space with its builds; false if there is none. */
export async function deleteProject(tx: Transaction, of: { id: string; spaceId: string }): Promise<boolean> {
  await tx.query(sql`
    delete from builds where project_id in (
      select id from projects where id = ${of.id} and space_id = ${of.spaceId} and removed_at is not null)`);
  const rows = await tx.query(sql`
    delete from projects where id = ${of.id} and space_id = ${of.spaceId} and removed_at is not null returning id`);
  return rows.length > 0;
}

export async function renameProject(db: Queryable, id: string, name: string): Promise<void> {
  await db.query(sql`update projects set name = ${name} where id = ${id}`);
}

export async function removeProject(db: Queryable, id: string, at: Instant): Promise<void> {
  await db.query(sql`update projects set removed_at = ${timestamp(at)} where id = ${id}`);
}

export async function insertBuild(
  db: Queryable,
  build: { id: string; projectId: string; startedAt: Instant },
): Promise<void> {
  await db.query(sql`
    insert into builds (id, project_id, status, started_at)
    values (${build.id}, ${build.projectId}, 'running', ${timestamp(build.startedAt)})`);
}

/** False if the build was not running. */
export async function finishBuild(
  db: Queryable,
  build: { id: string; status: 'succeeded' | 'failed'; finishedAt: Instant },
): Promise<boolean> {
  const rows = await db.query(sql`
    update builds set status = ${build.status}, finished_at = ${timestamp(build.finishedAt)}
    where id = ${build.id} and status = 'running' returning id`);
  return rows.length > 0;
}

/** Newest first. */
export async function listBuilds(
  db: Queryable,
  at: { projectId: string; countMax: number },
): Promise<Build[]> {
  return await db.query<Build>(sql`
    select b.id, b.project_id as "projectId", p.space_id as "spaceId", b.status,
      b.started_at as "startedAt", b.finished_at as "finishedAt"
    from builds b join projects p on p.id = b.project_id
    where b.project_id = ${at.projectId} and ${isProject} order by b.id desc limit ${at.countMax}`);
}

/** Takes any text as the id. The caller has to check which space the build belongs to. */
export async function findBuild(db: Queryable, id: string): Promise<Build | null> {
  if (!isId('bld', id)) return null;
  const [build] = await db.query<Build>(sql`
    select b.id, b.project_id as "projectId", p.space_id as "spaceId", b.status,
      b.started_at as "startedAt", b.finished_at as "finishedAt"
    from builds b join projects p on p.id = b.project_id
    where b.id = ${id} and ${isProject}`);
  return build ?? null;
}
