/** The list of batches of a space or of the whole installation, newest first. */
import type { BatchStatus } from '../../batches/batch-state.ts';
import type { settlementFilters } from '../../contract/administration/words.ts';
import { boundedScan, type ScannedRow, scannedPage } from '../../database/bounded-scan.ts';
import type { Queryable } from '../../database/database.ts';
import { type Filters, ListOrder, type Page, type PageRequest } from '../../database/page.ts';
import { allOf, type Sql, sql } from '../../database/sql.ts';
import { firstIdAt } from '../../kernel/ids.ts';
import type { Instant } from '../../kernel/time.ts';
import type { ListedRow } from './listed-row.ts';

export type BatchListRow = ListedRow<'batches.list'>;

export type BatchFilters = Filters<{
  /** The exact id. */
  id: string;
  status: BatchStatus;
  settlement: (typeof settlementFilters)[number];
  model: string;
  /** The id of a member or of a shared key. */
  owner: string;
  /** When it was submitted. */
  from: Instant;
  /** Not included. */
  until: Instant;
}>;

const newestFirst = new ListOrder('batches', ['text']);

/** Status and model examine a limited number of rows per page (`SCANNED_ROWS_MAX`). Space null: all spaces. */
export async function readBatchPage(
  db: Queryable,
  of: BatchFilters & { spaceId: string | null } & PageRequest,
): Promise<Page<BatchListRow>> {
  const { limit } = of;
  const position = newestFirst.position(of.after);
  const rows = sql`
    select b.id, b.status, b.settlement_status, b.model
    from batches b where ${allOf(rangeOf(of, position?.[0] ?? null))} order by b.id desc`;
  const scanned = await db.query<BatchListRow & ScannedRow>(sql`
    select p.id, s.name as space, p.model, p.endpoint, m.email as owner, k.name as key, p.status, p.total, p.completed,
      p.failed, p.settlement_status as settlement, p.settlement_reason as reason,
      trim_scale(p.settled_units)::text as units, p.input_file_id, p.output_file_id, p.error_file_id, p.created_at,
      p.expires_at, coalesce(p.completed_at, p.failed_at, p.cancelled_at, p.expired_at) as ended_at, p.settled_at,
      f.matches, f.nth
    from (${boundedScan({ rows, matching: matchingOf(of), limit })}) f join batches p on p.id = f.id
    join spaces s on s.id = p.space_id left join keys k on k.id = p.key_id left join members m on m.id = p.owner
    order by p.id desc`);
  return scannedPage(newestFirst, scanned, { limit, positionOf: ({ id }) => [id] });
}

/** The settlement is part of the range where it has an index of its own. */
function rangeOf(of: BatchFilters & { spaceId: string | null }, after: string | null): Sql[] {
  const range = [];
  if (of.settlement === 'quarantined') range.push(sql`b.settlement_status = 'quarantined'`);
  if (of.settlement === 'unsettled') range.push(sql`b.settlement_status <> 'settled'`);
  if (of.spaceId !== null) range.push(sql`b.space_id = ${of.spaceId}`);
  if (of.id) range.push(sql`b.id = ${of.id}`);
  if (of.owner) range.push(sql`b.owner = ${of.owner}`);
  if (after !== null) range.push(sql`b.id < ${after}`);
  if (of.from != null) range.push(sql`b.id >= ${firstIdAt('batch', of.from)}`);
  if (of.until != null) range.push(sql`b.id < ${firstIdAt('batch', of.until)}`);
  return range;
}

function matchingOf({ status, settlement, model }: BatchFilters): Sql {
  const conditions = [];
  if (status) conditions.push(sql`s.status = ${status}`);
  if (settlement && settlement !== 'unsettled') conditions.push(sql`s.settlement_status = ${settlement}`);
  if (model) conditions.push(sql`s.model = ${model}`);
  return allOf(conditions);
}
