/** The lists of the projects of a space and of the builds of a project. */
import { type BuildStatus, isProject } from '../../access/projects.store.ts';
import { boundedScan, type ScannedRow, scannedPage } from '../../database/bounded-scan.ts';
import type { Queryable } from '../../database/database.ts';
import { type Filters, ListOrder, type Page, type PageRequest } from '../../database/page.ts';
import { allOf, sql } from '../../database/sql.ts';
import type { Instant } from '../../kernel/time.ts';
import { startsWith } from './name-search.store.ts';

export interface ProjectListRow {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Instant;
  /** The newest build; null without any. */
  readonly lastBuild: BuildListRow | null;
}

export interface BuildListRow {
  readonly id: string;
  readonly status: BuildStatus;
  readonly startedAt: Instant;
  readonly finishedAt: Instant | null;
}

export type ProjectFilters = Filters<{
  /** The beginning of the name or of the id, in any case. */
  search: string;
}>;

interface ReadProject extends Omit<ProjectListRow, 'lastBuild'> {
  readonly buildId: string | null;
  readonly status: BuildStatus;
  readonly startedAt: Instant;
  readonly finishedAt: Instant | null;
}

const byId = new ListOrder('projects', ['text']);

/** By id. Removed projects are left out. */
export async function readProjectPage(
  db: Queryable,
  of: ProjectFilters & { spaceId: string } & PageRequest,
): Promise<Page<ProjectListRow>> {
  const conditions = [sql`p.space_id = ${of.spaceId}`, isProject];
  const position = byId.position(of.after);
  if (position !== null) conditions.push(sql`p.id > ${position[0]}`);
  if (of.search) {
    const [name, id] = [startsWith(sql`p.name`, of.search), startsWith(sql`p.id`, of.search)];
    conditions.push(sql`(${name} or ${id})`);
  }
  const rows = await db.query<ReadProject>(sql`
    select p.id, p.name, p.created_at as "createdAt", b.id as "buildId", b.status, b.started_at as "startedAt",
      b.finished_at as "finishedAt"
    from (select * from projects p where ${allOf(conditions)} order by p.id limit ${of.limit + 1}) p
    left join lateral (select * from builds where project_id = p.id order by id desc limit 1) b on true
    order by p.id`);
  const page = byId.page(rows, of.limit, ({ id }) => [id]);
  return { rows: page.rows.map(projectOf), next: page.next };
}

function projectOf({
  id,
  name,
  createdAt,
  buildId,
  status,
  startedAt,
  finishedAt,
}: ReadProject): ProjectListRow {
  const lastBuild = buildId === null ? null : { id: buildId, status, startedAt, finishedAt };
  return { id, name, createdAt, lastBuild };
}

export type BuildFilters = Filters<{ status: BuildStatus }>;

const newestBuilds = new ListOrder('builds', ['text']);

/** Newest first. The caller has checked who may see the project. */
export async function readBuildPage(
  db: Queryable,
  of: BuildFilters & { projectId: string } & PageRequest,
): Promise<Page<BuildListRow>> {
  const { limit } = of;
  const range = [sql`b.project_id = ${of.projectId}`];
  const position = newestBuilds.position(of.after);
  if (position !== null) range.push(sql`b.id < ${position[0]}`);
  const rows = sql`select b.* from builds b where ${allOf(range)} order by b.id desc`;
  const matching = of.status ? sql`s.status = ${of.status}` : sql`true`;
  const scanned = await db.query<BuildListRow & ScannedRow>(sql`
    select p.id, p.status, p.started_at as "startedAt", p.finished_at as "finishedAt", p.matches, p.nth
    from (${boundedScan({ rows, matching, limit })}) p order by p.id desc`);
  return scannedPage(newestBuilds, scanned, { limit, positionOf: ({ id }) => [id] });
}
