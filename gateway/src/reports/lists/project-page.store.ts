/** The lists of the projects of a space and of the builds of a project. */
import { type BuildStatus, isProject } from '../../access/projects.store.ts';
import { boundedScan, type ScannedRow, scannedPage } from '../../database/bounded-scan.ts';
import type { Queryable } from '../../database/database.ts';
import { type Filters, ListOrder, type Page, type PageRequest } from '../../database/page.ts';
import { allOf, sql } from '../../database/sql.ts';
import type { ListedRow } from './listed-row.ts';
import { startsWith } from './name-search.store.ts';

export type BuildListRow = ListedRow<'builds.list'>;

/** The newest build is null without any. */
export type ProjectListRow = Omit<ListedRow<'projects.list'>, 'space' | 'last_build'> & {
  readonly last_build: BuildListRow | null;
};

export type ProjectFilters = Filters<{
  /** The beginning of the name or of the id, in any case. */
  search: string;
}>;

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
  const rows = await db.query<
    Omit<ProjectListRow, 'last_build'> & Omit<BuildListRow, 'id'> & { build_id: string | null }
  >(sql`
    select p.id, p.name, p.created_at, b.id as build_id, b.status, b.started_at, b.finished_at
    from (select * from projects p where ${allOf(conditions)} order by p.id limit ${of.limit + 1}) p
    left join lateral (select * from builds where project_id = p.id order by id desc limit 1) b on true
    order by p.id`);
  const page = byId.page(rows, of.limit, ({ id }) => [id]);
  const shown = page.rows.map(({ id, name, created_at, build_id, ...build }) => {
    return { id, name, created_at, last_build: build_id === null ? null : { id: build_id, ...build } };
  });
  return { rows: shown, next: page.next };
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
    select p.id, p.status, p.started_at, p.finished_at, p.matches, p.nth
    from (${boundedScan({ rows, matching, limit })}) p order by p.id desc`);
  return scannedPage(newestBuilds, scanned, { limit, positionOf: ({ id }) => [id] });
}
