/** The rows of batches. State changes follow the tables of batch-state.ts. */
import type { OwnerScope } from '../access/principal.ts';
import type { Tags } from '../contract/tags.ts';
import { type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { type PageById, pageById } from '../database/page-by-id.ts';
import { json, type Sql, sql } from '../database/sql.ts';
import { statesBefore } from '../kernel/state-table.ts';
import type { Instant, Month } from '../kernel/time.ts';
import { parseUnits, printUnits, type Units } from '../kernel/units.ts';
import { type BatchStatus, batchMoves, type SettlementStatus, settlementMoves } from './batch-state.ts';

export interface BatchError {
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
  readonly line: number | null;
}

/** The tags of all lines of a batch. */
export interface BatchTags {
  /** Of the header: they go before those of the lines. */
  readonly header: Tags | null;
  /** They go after those of the lines, in this order. */
  readonly defaults: Tags;
}

export interface NewBatch {
  readonly id: string;
  readonly spaceId: string;
  /** The member of a personal key; the key itself if it is shared. */
  readonly owner: string;
  readonly keyId: string;
  readonly memberId: string | null;
  readonly inputFileId: string;
  /** The path of the lines, such as `/v1/chat/completions`. */
  readonly endpoint: string;
  readonly model: string;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly tags: BatchTags | null;
  readonly total: number;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
}

export interface Batch extends NewBatch {
  readonly status: BatchStatus;
  readonly completed: number;
  readonly failed: number;
  readonly errors: readonly BatchError[] | null;
  readonly inProgressAt: Instant | null;
  readonly finalizingAt: Instant | null;
  readonly completedAt: Instant | null;
  readonly failedAt: Instant | null;
  readonly cancellingAt: Instant | null;
  readonly cancelledAt: Instant | null;
  readonly expiredAt: Instant | null;
  /** For a batch at a provider; written by provider-jobs.store.ts and provider-batches.store.ts. */
  readonly provider: string | null;
  readonly providerSentAt: Instant | null;
  readonly providerLines: number | null;
  readonly providerFileId: string | null;
  readonly providerBatchId: string | null;
  /** Why the provider's results failed verification. */
  readonly mismatch: string | null;
  readonly outputFileId: string | null;
  readonly errorFileId: string | null;
  readonly settlementStatus: SettlementStatus;
  readonly settlementReason: string | null;
  readonly settledUnits: Units | null;
}

export async function insertBatch(tx: Transaction, batch: NewBatch): Promise<void> {
  await tx.query(sql`
    insert into batches (id, space_id, owner, key_id, member_id, input_file_id, endpoint, model, metadata, tags,
      status, total, created_at, expires_at)
    values (${batch.id}, ${batch.spaceId}, ${batch.owner}, ${batch.keyId}, ${batch.memberId}, ${batch.inputFileId},
      ${batch.endpoint}, ${batch.model}, ${batch.metadata === null ? null : json(batch.metadata)},
      ${batch.tags === null ? null : json(batch.tags)}, 'validating', ${batch.total}, ${timestamp(batch.createdAt)}, ${timestamp(batch.expiresAt)})`);
}

type BatchRow = Omit<Batch, 'settledUnits'> & { settledUnits: string | null };

const columns = sql`id, space_id as "spaceId", owner, key_id as "keyId", member_id as "memberId",
  input_file_id as "inputFileId", endpoint, model, metadata, tags, status, total, completed, failed, errors,
  created_at as "createdAt", expires_at as "expiresAt", in_progress_at as "inProgressAt",
  finalizing_at as "finalizingAt", completed_at as "completedAt", failed_at as "failedAt",
  cancelling_at as "cancellingAt", cancelled_at as "cancelledAt", expired_at as "expiredAt", provider,
  provider_sent_at as "providerSentAt", provider_lines as "providerLines", provider_file_id as "providerFileId",
  provider_batch_id as "providerBatchId", doubt as mismatch, output_file_id as "outputFileId",
  error_file_id as "errorFileId", settlement_status as "settlementStatus",
  settlement_reason as "settlementReason", settled_units as "settledUnits"`;

export async function findBatch(db: Queryable, id: string): Promise<Batch | null> {
  const [row] = await db.query<BatchRow>(sql`select ${columns} from batches where id = ${id}`);
  return row === undefined ? null : readBatch(row);
}

export async function findBatchPage(db: Queryable, caller: OwnerScope, page: PageById): Promise<Batch[]> {
  const rows = await db.query<BatchRow>(sql`
    select ${columns} from batches
    where space_id = ${caller.spaceId} and owner = ${caller.owner} and ${pageById(page)}`);
  return rows.map(readBatch);
}

function readBatch(row: BatchRow): Batch {
  return { ...row, settledUnits: unitsOrNull(row.settledUnits) };
}

/** Null also for a batch of another owner, so that its existence stays hidden. */
export async function findOwnBatch(db: Queryable, id: string, caller: OwnerScope): Promise<Batch | null> {
  const batch = await findBatch(db, id);
  return batch !== null && batch.spaceId === caller.spaceId && batch.owner === caller.owner ? batch : null;
}

/** A batch as an operator sees it in a list. */
export interface ListedBatch
  extends Pick<
    Batch,
    | 'id'
    | 'model'
    | 'status'
    | 'total'
    | 'completed'
    | 'failed'
    | 'createdAt'
    | 'settlementStatus'
    | 'settlementReason'
    | 'settledUnits'
  > {
  readonly space: string;
}

/** Newest first. */
export async function listBatches(
  db: Queryable,
  of: { spaceId: string | null; settlement: string | null; limit: number },
): Promise<ListedBatch[]> {
  const rows = await db.query<Omit<ListedBatch, 'settledUnits'> & { settledUnits: string | null }>(sql`
    select b.id, s.name as space, b.model, b.status, b.total, b.completed, b.failed, b.created_at as "createdAt",
      b.settlement_status as "settlementStatus", b.settlement_reason as "settlementReason",
      b.settled_units as "settledUnits"
    from batches b join spaces s on s.id = b.space_id
    where (${of.spaceId}::text is null or b.space_id = ${of.spaceId})
      and (${of.settlement}::text is null or b.settlement_status = ${of.settlement})
    order by b.id desc limit ${of.limit}`);
  return rows.map((row) => ({ ...row, settledUnits: unitsOrNull(row.settledUnits) }));
}

function unitsOrNull(amount: string | null): Units | null {
  return amount === null ? null : parseUnits(amount);
}

/** False when the batch cannot move there from its current state. */
export async function moveBatch(
  tx: Queryable,
  id: string,
  move: { to: BatchStatus; at: Instant; errors?: readonly BatchError[] },
): Promise<boolean> {
  const { to } = move;
  const at = timestamp(move.at);
  const rows = await tx.query(sql`
    update batches set status = ${to},
      in_progress_at = case when ${to} = 'in_progress' then ${at}::timestamptz else in_progress_at end,
      finalizing_at = case when ${to} = 'finalizing' then ${at}::timestamptz else finalizing_at end,
      completed_at = case when ${to} = 'completed' then ${at}::timestamptz else completed_at end,
      failed_at = case when ${to} = 'failed' then ${at}::timestamptz else failed_at end,
      cancelling_at = case when ${to} = 'cancelling' then ${at}::timestamptz else cancelling_at end,
      cancelled_at = case when ${to} = 'cancelled' then ${at}::timestamptz else cancelled_at end,
      expired_at = case when ${to} = 'expired' then ${at}::timestamptz else expired_at end,
      settlement_status = case when ${to} in ('completed', 'failed', 'cancelled', 'expired')
        then 'queued' else settlement_status end,
      errors = coalesce(${move.errors === undefined ? null : json(move.errors)}::json, errors)
    where id = ${id} and status = any (${statesBefore(batchMoves, to)}) returning id`);
  return rows.length > 0;
}

/** False when the settlement cannot move there from its current state. */
export async function moveSettlement(
  tx: Queryable,
  id: string,
  move: { to: SettlementStatus; reason?: string },
): Promise<boolean> {
  const rows = await tx.query(sql`
    update batches set settlement_status = ${move.to}, settlement_reason = ${move.reason ?? null}
    where id = ${id} and settlement_status = any (${statesBefore(settlementMoves, move.to)}) returning id`);
  return rows.length > 0;
}

export interface SettledBatch {
  readonly units: Units;
  readonly requests: number;
  readonly at: Instant;
  readonly month: Month;
  readonly entryId: number | null;
  readonly outputFileId: string | null;
  readonly errorFileId: string | null;
}

export async function writeSettled(tx: Transaction, id: string, settled: SettledBatch): Promise<boolean> {
  const rows = await tx.query(sql`
    update batches set settlement_status = 'settled', settlement_reason = null,
      settled_units = ${printUnits(settled.units)}, settled_requests = ${settled.requests},
      settled_at = ${timestamp(settled.at)}, settled_month = ${settled.month}, entry_id = ${settled.entryId},
      provider_bills = ${providerBills(id)},
      output_file_id = ${settled.outputFileId}, error_file_id = ${settled.errorFileId}
    where id = ${id} and settlement_status = any (${statesBefore(settlementMoves, 'settled')}) returning id`);
  return rows.length > 0;
}

/**
 * What each provider will bill for the lines, which are deleted afterwards, and what is charged for the same lines.
 * Null if no line succeeded.
 */
function providerBills(batchId: string): Sql {
  return sql`(select jsonb_agg(to_jsonb(bill)) from (
    select provider, upstream_model, provider_currency as currency, provider_price_version as version,
      count(*) as lines, count(*) filter (where provider_cost is null) as unknown,
      trim_scale(sum(provider_cost))::text as cost, trim_scale(sum(batch_lines.cost))::text as charge
    from batch_lines where batch_id = ${batchId} and ok group by 1, 2, 3, 4 order by 1, 2, 3, 4) as bill)`;
}
