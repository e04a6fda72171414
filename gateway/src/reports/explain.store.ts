/** Reads what is stored about one request, by its id. */
import { endpointOf } from '../contract/batch-lines/check-line-value.ts';
import type { BatchUrl } from '../contract/paid-endpoints.ts';
import type { ReceiptLine, ReceiptUsageDetails } from '../contract/receipt.ts';
import type { Queryable } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { isId } from '../kernel/ids.ts';
import type { Instant } from '../kernel/time.ts';
import type { AttributionValues } from '../metering/attribution/attribution.ts';
import { valuesOf } from '../metering/attribution/attributions.store.ts';
import type { CallAttempt } from '../metering/call-record.ts';
import type { Refusal } from '../metering/refusals.store.ts';

/** The caller. */
interface Sender {
  readonly spaceId: string | null;
  readonly space: string | null;
  readonly key: string | null;
  readonly keyHint: string | null;
  readonly member: string | null;
}

export type RefusalFound = Sender & Omit<Refusal, 'keyId' | 'spaceId'>;

export interface CallFound extends Sender {
  readonly id: string;
  /** Who may read its receipt with a key: the member of a personal key, or the shared key. */
  readonly owner: string;
  readonly endpoint: string;
  /** Null unless it is a line of a batch. */
  readonly batchId: string | null;
  /** Null: nothing. */
  readonly attribution: AttributionValues | null;
  readonly model: string;
  /** Null if it is the same. */
  readonly requestedModel: string | null;
  readonly provider: string | null;
  readonly upstreamModel: string | null;
  readonly streamed: boolean;
  readonly outcome: string;
  readonly problem: string | null;
  readonly finishReason: string | null;
  readonly usageSource: string;
  readonly inputTokens: number | null;
  readonly cachedInputTokens: number | null;
  readonly cacheWriteTokens: number | null;
  readonly outputTokens: number | null;
  readonly reasoningTokens: number | null;
  readonly images: number | null;
  readonly details: ReceiptUsageDetails | null;
  readonly priceVersion: string | null;
  readonly cost: string | null;
  /** What an unknown cost counts for. */
  readonly provisional: string | null;
  readonly lines: readonly ReceiptLine[] | null;
  readonly attempts: number;
  /** Null if there was at most one attempt. */
  readonly tried: readonly CallAttempt[] | null;
  readonly startedAt: Instant;
  readonly firstByteMs: number | null;
  readonly durationMs: number;
  readonly chargedAt: Instant;
  readonly month: string;
  readonly entry: number | null;
}

export interface CorrectionFound {
  readonly costBefore: string | null;
  readonly costAfter: string;
  readonly note: string;
  readonly at: Instant;
}

export async function findRefusal(db: Queryable, id: string): Promise<RefusalFound | null> {
  const [row] = await db.query<RefusalFound>(sql`
    select r.id, r.at, r.endpoint, r.code, r.status, r.detail, r.param, r.facts, s.id as "spaceId",
      s.name as space, k.name as key, k.hint as "keyHint", m.email as member
    from refusals r left join keys k on k.id = coalesce(r.key_id, r.facts ->> 'key_id')
    left join spaces s on s.id = coalesce(r.space_id, k.space_id)
    left join members m on m.id = k.member_id where r.id = ${id}`);
  return row ?? null;
}

/** A call, a line of a batch or a video job; null if none has this id. */
export async function findRecorded(db: Queryable, id: string): Promise<CallFound | null> {
  if (isId('job', id)) return await findVideo(db, id);
  return isId('req', id) ? ((await findCall(db, id)) ?? (await findLine(db, id))) : null;
}

async function findCall(db: Queryable, id: string): Promise<CallFound | null> {
  const [row] = await db.query<CallFound>(sql`
    select c.id, coalesce(c.member_id, c.key_id) as owner, c.endpoint, null as "batchId",
      (${valuesOf(sql`c.space_id`, sql`c.attribution`)}) as attribution, c.model,
      c.requested_model as "requestedModel", c.provider,
      c.upstream_model as "upstreamModel", c.streamed, c.outcome,
      c.problem, c.finish_reason as "finishReason", c.usage_source as "usageSource",
      c.input_tokens as "inputTokens", c.cached_input_tokens as "cachedInputTokens",
      c.cache_write_tokens as "cacheWriteTokens", c.output_tokens as "outputTokens",
      c.reasoning_tokens as "reasoningTokens", c.images, c.usage_details as details, c.price_version as "priceVersion",
      trim_scale(c.cost)::text as cost, trim_scale(c.provisional)::text as provisional, c.charge_lines as lines, c.attempts,
      c.attempt_log as tried, c.started_at as "startedAt",
      c.first_byte_ms as "firstByteMs", c.duration_ms as "durationMs", c.charged_at as "chargedAt", c.month,
      c.entry_id as entry, c.space_id as "spaceId", s.name as space, k.name as key, k.hint as "keyHint",
      m.email as member
    from calls c left join spaces s on s.id = c.space_id left join keys k on k.id = c.key_id
    left join members m on m.id = c.member_id where c.id = ${id}`);
  return row ?? null;
}

/** A line of a batch in the form of a call, once its batch is settled. It is charged with the batch. */
async function findLine(db: Queryable, id: string): Promise<CallFound | null> {
  const [row] = await db.query<CallFound>(sql`
    select r.id, b.owner, b.endpoint, b.id as "batchId", r.attribution::json as attribution, b.model, null as "requestedModel",
      r.provider, r.upstream_model as "upstreamModel",
      false as streamed, r.outcome, r.problem, r.finish_reason as "finishReason", r.usage_source as "usageSource",
      r.input_tokens as "inputTokens", r.cached_input_tokens as "cachedInputTokens",
      r.cache_write_tokens as "cacheWriteTokens", r.output_tokens as "outputTokens",
      r.reasoning_tokens as "reasoningTokens", null as images, r.usage_details as details,
      r.price_version as "priceVersion", trim_scale(r.cost)::text as cost, null as provisional, r.charge_lines as lines, r.attempts,
      r.attempt_log as tried, r.started_at as "startedAt", null as "firstByteMs", r.duration_ms as "durationMs",
      b.settled_at as "chargedAt", b.settled_month as month, b.entry_id as entry, b.space_id as "spaceId",
      s.name as space, k.name as key, k.hint as "keyHint", m.email as member
    from line_receipts r join batches b on b.id = r.batch_id left join spaces s on s.id = b.space_id
    left join keys k on k.id = b.key_id left join members m on m.id = b.member_id
    where r.id = ${id} and b.settlement_status = 'settled'`);
  return row === undefined ? null : { ...row, endpoint: endpointOf(row.endpoint as BatchUrl) };
}

/** A video job in the form of a call. Its usage is in seconds and its id is the id of the job. */
async function findVideo(db: Queryable, id: string): Promise<CallFound | null> {
  const [row] = await db.query<CallFound>(sql`
    select v.id, v.owner, 'video' as endpoint, null as "batchId", v.attribution::json as attribution, v.model,
      null as "requestedModel", v.provider,
      v.upstream_model as "upstreamModel", false as streamed,
      v.status as outcome, v.error ->> 'code' as problem, null as "finishReason",
      coalesce(v.usage_source, 'none') as "usageSource", null as "inputTokens", null as "cachedInputTokens",
      null as "cacheWriteTokens", null as "outputTokens", null as "reasoningTokens", null as images,
      v.usage_details as details, v.price_version as "priceVersion", trim_scale(v.cost)::text as cost,
      trim_scale(v.provisional)::text as provisional, v.charge as lines, 1 as attempts,
      null as tried,
      v.created_at as "startedAt", null as "firstByteMs",
      (extract(epoch from coalesce(v.completed_at, v.created_at) - v.created_at) * 1000)::integer as "durationMs",
      coalesce(v.settled_at, v.completed_at, v.created_at) as "chargedAt",
      coalesce(v.settled_month, to_char(korean_day(v.created_at), 'YYYY-MM')) as month, v.entry_id as entry,
      v.space_id as "spaceId", s.name as space, k.name as key, k.hint as "keyHint", m.email as member
    from video_jobs v left join spaces s on s.id = v.space_id left join keys k on k.id = v.key_id
    left join members m on m.id = v.member_id where v.id = ${id}`);
  return row ?? null;
}

export async function listCorrections(db: Queryable, callId: string): Promise<CorrectionFound[]> {
  return await db.query<CorrectionFound>(sql`
    select trim_scale(cost_before)::text as "costBefore", trim_scale(cost_after)::text as "costAfter", note, at
    from corrections where call_id = ${callId} order by id`);
}
