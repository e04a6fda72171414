/** The list of the video jobs of a space, newest first. */
import type { JobStatus } from '../../contract/job-statuses.ts';
import { boundedScan, type ScannedRow, scannedPage } from '../../database/bounded-scan.ts';
import type { Queryable } from '../../database/database.ts';
import { type Filters, ListOrder, type Page, type PageRequest } from '../../database/page.ts';
import { allOf, type Sql, sql } from '../../database/sql.ts';
import { firstIdAt } from '../../kernel/ids.ts';
import type { Instant } from '../../kernel/time.ts';
import type { ListedRow } from './listed-row.ts';
import { joinOwner, ownerColumns } from './owner-names.store.ts';

export type JobListRow = ListedRow<'jobs.list'>;

export type JobFilters = Filters<{
  /** The exact id. */
  id: string;
  status: JobStatus;
  model: string;
  /** The id of a member or of a shared key. */
  owner: string;
  /** When it was created. */
  from: Instant;
  /** Not included. */
  until: Instant;
}>;

const newestFirst = new ListOrder('jobs', ['text']);

/** Status and model examine a limited number of rows per page (`SCANNED_ROWS_MAX`). */
export async function readJobPage(
  db: Queryable,
  of: JobFilters & { spaceId: string } & PageRequest,
): Promise<Page<JobListRow>> {
  const { limit } = of;
  const range = [sql`v.space_id = ${of.spaceId}`];
  const position = newestFirst.position(of.after);
  if (of.id) range.push(sql`v.id = ${of.id}`);
  if (position !== null) range.push(sql`v.id < ${position[0]}`);
  if (of.from != null) range.push(sql`v.id >= ${firstIdAt('job', of.from)}`);
  if (of.until != null) range.push(sql`v.id < ${firstIdAt('job', of.until)}`);
  if (of.owner) range.push(sql`v.owner = ${of.owner}`);
  const rows = sql`select v.id, v.status, v.model from video_jobs v where ${allOf(range)} order by v.id desc`;
  const scanned = await db.query<JobListRow & ScannedRow>(sql`
    select p.id, ${ownerColumns}, p.model, p.status, p.progress, p.error ->> 'code' as problem,
      trim_scale(p.cost)::text as cost, p.created_at, p.started_at, p.completed_at, p.expires_at, f.matches, f.nth
    from (${boundedScan({ rows, matching: matchingOf(of), limit })}) f join video_jobs p on p.id = f.id ${joinOwner}
    order by p.id desc`);
  return scannedPage(newestFirst, scanned, { limit, positionOf: ({ id }) => [id] });
}

function matchingOf({ status, model }: JobFilters): Sql {
  const conditions = [];
  if (status) conditions.push(sql`s.status = ${status}`);
  if (model) conditions.push(sql`s.model = ${model}`);
  return allOf(conditions);
}
