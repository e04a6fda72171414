/** The list of the video jobs of a space, newest first. */
import type { JobStatus } from '../../contract/job-statuses.ts';
import { boundedScan, type ScannedRow, scannedPage } from '../../database/bounded-scan.ts';
import type { Queryable } from '../../database/database.ts';
import { type Filters, ListOrder, type Page, type PageRequest } from '../../database/page.ts';
import { allOf, type Sql, sql } from '../../database/sql.ts';
import { firstIdAt } from '../../kernel/ids.ts';
import type { Instant } from '../../kernel/time.ts';
import { joinOwner, type OwnerNames, ownerColumns } from './owner-names.store.ts';

export interface JobListRow extends OwnerNames {
  readonly id: string;
  readonly keyId: string;
  readonly key: string | null;
  readonly model: string;
  readonly status: JobStatus;
  readonly progress: number | null;
  /** The error code of a job that failed. */
  readonly problem: string | null;
  readonly createdAt: Instant;
  readonly startedAt: Instant | null;
  readonly completedAt: Instant | null;
  readonly expiresAt: Instant;
  /** A decimal string; null: unknown, or not settled yet. */
  readonly cost: string | null;
  readonly settledAt: Instant | null;
}

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
    select p.id, ${ownerColumns}, p.key_id as "keyId", k.name as key, p.model, p.status, p.progress,
      p.error ->> 'code' as problem, p.created_at as "createdAt", p.started_at as "startedAt",
      p.completed_at as "completedAt", p.expires_at as "expiresAt", trim_scale(p.cost)::text as cost,
      p.settled_at as "settledAt", f.matches, f.nth
    from (${boundedScan({ rows, matching: matchingOf(of), limit })}) f join video_jobs p on p.id = f.id
    left join keys k on k.id = p.key_id ${joinOwner}
    order by p.id desc`);
  return scannedPage(newestFirst, scanned, { limit, positionOf: ({ id }) => [id] });
}

function matchingOf({ status, model }: JobFilters): Sql {
  const conditions = [];
  if (status) conditions.push(sql`s.status = ${status}`);
  if (model) conditions.push(sql`s.model = ${model}`);
  return allOf(conditions);
}
