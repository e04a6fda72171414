/** Projects of a space, and their builds. */
import { PROJECT_ID } from '../contract/administration/fields.ts';
import { type Queryable, timestamp } from '../database/database.ts';
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

export async function insertProject(db: Queryable, project: Project): Promise<void> {
  await db.query(sql`
    insert into projects (id, space_id, name, created_at)
    values (${project.id}, ${project.spaceId}, ${project.name}, ${timestamp(project.createdAt)})`);
}

export async function listProjects(db: Queryable, spaceId: string): Promise<Project[]> {
  return await db.query<Project>(sql`
    select id, space_id as "spaceId", name, created_at as "createdAt"
    from projects where space_id = ${spaceId} and removed_at is null order by id`);
}

/** Takes any text as the id. The caller has to check which space the project belongs to. */
export async function findProject(db: Queryable, id: string): Promise<Project | null> {
  if (!PROJECT_ID.test(id)) return null;
  const [project] = await db.query<Project>(sql`
    select id, space_id as "spaceId", name, created_at as "createdAt"
    from projects where id = ${id} and removed_at is null`);
  return project ?? null;
}

/** True also for the id of a removed project. */
export async function isProjectIdUsed(db: Queryable, id: string): Promise<boolean> {
  const rows = await db.query(sql`select 1 as one from projects where id = ${id}`);
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
    where b.project_id = ${at.projectId} and p.removed_at is null order by b.id desc limit ${at.countMax}`);
}

/** Takes any text as the id. The caller has to check which space the build belongs to. */
export async function findBuild(db: Queryable, id: string): Promise<Build | null> {
  if (!isId('bld', id)) return null;
  const [build] = await db.query<Build>(sql`
    select b.id, b.project_id as "projectId", p.space_id as "spaceId", b.status,
      b.started_at as "startedAt", b.finished_at as "finishedAt"
    from builds b join projects p on p.id = b.project_id
    where b.id = ${id} and p.removed_at is null`);
  return build ?? null;
}
