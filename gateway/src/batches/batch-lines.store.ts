/** The results of lines, one row per line. A line that runs twice keeps its first result. */
import type { Queryable, Transaction } from '../database/database.ts';
import { LONG_ANSWER_MS } from '../database/deadlines.ts';
import { json, type Sql, sql, within } from '../database/sql.ts';
import { JobLeaseLost, type LeasedJob } from '../jobs/jobs.store.ts';
import { parseUnits, printUnits, type Units } from '../kernel/units.ts';
import { type Attribution, readAttribution } from '../metering/attribution/attribution.ts';
import type { AttributedPart } from '../metering/attribution/attributions.store.ts';
import type { BudgetedPart } from '../metering/budgets/budget-parts.store.ts';
import { readWaiting } from '../metering/budgets/match-budgets.ts';
import type { ProviderCost } from '../pricing/provider-cost.ts';
import type { Usage } from '../pricing/usage.ts';
import type { BatchStatus } from './batch-state.ts';
import type { LineReceipt } from './line-receipt.ts';

export interface DoneLine {
  /** The line number in the input file, starting at 1. */
  readonly line: number;
  /** The text of the line in the output or error file. */
  readonly text: string;
  readonly ok: boolean;
  /** Null: unknown, which is not zero. */
  readonly cost: Units | null;
  readonly usage: Usage | null;
  /** What had no price, if the usage is known and the price is not. */
  readonly missing?: readonly string[];
  readonly priceVersion: string | null;
  /** Who ran it and what they will bill; absent for lines that failed. */
  readonly provider?: string | null;
  readonly upstreamModel?: string | null;
  readonly providerCost?: ProviderCost | null;
  /** Absent or null: attributed to nothing. */
  readonly attribution?: Attribution | null;
  /** The budgets that it counts in; absent or null: none. */
  readonly budgets?: string | null;
  /** Null for a line that never reached a model. */
  readonly receipt: LineReceipt | null;
}

/**
 * Stores results of lines that our own workers ran. It requires no lease: an answer that was paid for is stored even if
 * the lease was lost meanwhile, and a line that has a result keeps it. Returns the state of the batch, so that the
 * worker notices a cancellation. Throws JobLeaseLost when the settlement has begun.
 */
export async function recordLines(
  db: Queryable,
  batchId: string,
  lines: readonly DoneLine[],
  timeoutMs: number,
): Promise<BatchStatus> {
  const lock = sql`
    select id from batches where id = ${batchId} and settlement_status = 'pending' for no key update`;
  return await addLines(db, { lock, subject: batchId, timeoutMs }, lines);
}

/** Stores results that a provider's batch returned. Requires the lease: the results can be read again. */
export async function insertLines(
  db: Queryable,
  job: LeasedJob,
  lines: readonly DoneLine[],
): Promise<BatchStatus> {
  const lock = sql`
    with ours as (
      select subject from jobs
      where kind = ${job.kind} and subject = ${job.subject} and epoch = ${job.epoch} for share
    ) select id from batches where id = (select subject from ours) for no key update`;
  return await addLines(db, { lock, subject: job.subject, timeoutMs: LONG_ANSWER_MS }, lines);
}

/** `lock` selects and locks the batch if lines may be added to it. */
async function addLines(
  db: Queryable,
  { lock, subject, timeoutMs }: { lock: Sql; subject: string; timeoutMs: number },
  lines: readonly DoneLine[],
): Promise<BatchStatus> {
  const columns = [
    lines.map(({ line }) => String(line)),
    lines.map(({ text }) => text),
    lines.map(({ ok }) => String(ok)),
    lines.map(({ cost }) => (cost === null ? '' : printUnits(cost))),
    lines.map(({ usage, missing }) => (usage === null ? '' : json({ ...usage, missing }))),
    lines.map(({ priceVersion }) => priceVersion ?? ''),
    lines.map(({ provider }) => provider ?? ''),
    lines.map(({ upstreamModel }) => upstreamModel ?? ''),
    lines.map(({ providerCost }) => (providerCost ? printUnits(providerCost.amount) : '')),
    lines.map(({ providerCost }) => providerCost?.currency ?? ''),
    lines.map(({ providerCost }) => providerCost?.version ?? ''),
    lines.map(({ attribution }) => attribution?.text ?? ''),
    lines.map(({ budgets }) => budgets ?? ''),
  ];
  const receipts = lines.map(({ receipt }) => (receipt === null ? '' : json(receipt)));
  const arrays = [...columns, receipts].map((_, index) => `$${lock.values.length + index + 1}::text[]`);
  const [batch] = await db.query<{ status: BatchStatus }>({
    text: `
    with locked as (${lock.text}), added as (
      insert into batch_lines (batch_id, line, text, ok, cost, usage, price_version, provider, upstream_model,
        provider_cost, provider_currency, provider_price_version, attribution, budgets)
      select locked.id, l.line::integer, l.text, l.ok::boolean, nullif(l.cost, '')::numeric,
        nullif(l.usage, '')::json, nullif(l.price_version, ''), nullif(l.provider, ''),
        nullif(l.upstream_model, ''), nullif(l.provider_cost, '')::numeric, nullif(l.provider_currency, ''),
        nullif(l.provider_price_version, ''), nullif(l.attribution, ''),
        nullif(l.budgets, '')
      from locked, unnest(${arrays.slice(0, -1).join(', ')})
        as l (line, text, ok, cost, usage, price_version, provider, upstream_model, provider_cost,
          provider_currency, provider_price_version, attribution, budgets)
      order by l.line::integer
      on conflict (batch_id, line) do nothing
      returning batch_id, line, ok
    ), receipts as (
      insert into line_receipts (id, batch_id, line, provider, upstream_model, outcome, problem, finish_reason,
        usage_source, input_tokens, cached_input_tokens, cache_write_tokens, output_tokens, reasoning_tokens,
        usage_details, price_version, cost, charge_lines, attempts, attempt_log, started_at, duration_ms, attribution)
      select r.id, a.batch_id, a.line, r.provider, r.upstream_model, r.outcome, r.problem, r.finish_reason,
        r.usage_source, r.input_tokens, r.cached_input_tokens, r.cache_write_tokens, r.output_tokens,
        r.reasoning_tokens, r.usage_details, r.price_version, r.cost, r.charge_lines, r.attempts, r.attempt_log,
        r.started_at, r.duration_ms, r.attribution
      from added a join unnest(${arrays[0]}, ${arrays.at(-1)}) as l (line, receipt) on l.line::integer = a.line
      cross join lateral json_populate_record(null::line_receipts, nullif(l.receipt, '')::json) as r
      where r.id is not null order by a.line
      on conflict do nothing
    )
    update batches set completed = completed + (select count(*) from added where ok)::integer,
      failed = failed + (select count(*) from added where not ok)::integer
    from locked where batches.id = locked.id returning batches.status`,
    values: [...lock.values, ...columns, receipts],
    timeoutMs,
  });
  if (batch === undefined) throw new JobLeaseLost(`lines of ${subject}`);
  return batch.status;
}

/** The numbers of the lines that have a result, in order. */
export async function listDoneLines(db: Queryable, batchId: string): Promise<number[]> {
  const rows = await db.query<{ line: number }>(
    sql`select line from batch_lines where batch_id = ${batchId} order by line`,
  );
  return rows.map(({ line }) => line);
}

/** The next lines in order. */
export async function readLines(
  db: Queryable,
  batchId: string,
  page: { after: number; linesMax: number },
): Promise<Array<Pick<DoneLine, 'line' | 'text' | 'ok'>>> {
  return await db.query(
    within(
      LONG_ANSWER_MS,
      sql`
    select line, text, ok from batch_lines where batch_id = ${batchId} and line > ${page.after}
    order by line limit ${page.linesMax}`,
    ),
  );
}

export interface LineSums {
  readonly lines: number;
  readonly ok: number;
  /** Successful lines whose cost is unknown. */
  readonly unpriced: number;
  readonly cost: Units;
}

export async function sumLines(db: Queryable, batchId: string): Promise<LineSums> {
  const [row] = await db.query<Omit<LineSums, 'cost'> & { cost: string }>(
    within(
      LONG_ANSWER_MS,
      sql`
    select count(*) as lines, count(*) filter (where ok) as ok,
      count(*) filter (where ok and cost is null) as unpriced, coalesce(sum(cost), 0) as cost
    from batch_lines where batch_id = ${batchId}`,
    ),
  );
  if (row === undefined) throw new Error('a sum has one row');
  return { ...row, cost: parseUnits(row.cost) };
}

/** The lines that succeeded and are attributed to something. */
export async function sumAttributedLines(db: Queryable, batchId: string): Promise<AttributedPart[]> {
  const rows = await db.query<{ text: string; requests: number; unpriced: number; cost: string }>(
    within(
      LONG_ANSWER_MS,
      sql`
    select attribution as text, count(*) as requests, count(*) filter (where cost is null) as unpriced,
      coalesce(sum(cost), 0) as cost
    from batch_lines where batch_id = ${batchId} and ok and attribution is not null
    group by attribution order by attribution`,
    ),
  );
  return rows.map(({ text, requests, unpriced, cost }) => ({
    attribution: readAttribution(text),
    requests,
    unpriced,
    cost: parseUnits(cost),
  }));
}

/** The lines that succeeded and count in budgets. */
export async function sumBudgetedLines(db: Queryable, batchId: string): Promise<BudgetedPart[]> {
  const rows = await db.query<{ text: string; requests: number; spent: string }>(
    within(
      LONG_ANSWER_MS,
      sql`
    select budgets as text, count(*) as requests, coalesce(sum(cost), 0) as spent
    from batch_lines where batch_id = ${batchId} and ok and budgets is not null group by budgets order by budgets`,
    ),
  );
  return rows.map(({ text, requests, spent }) => {
    return { budgets: readWaiting(text), requests, spent: parseUnits(spent) };
  });
}

export async function deleteLines(tx: Transaction, batchId: string): Promise<void> {
  await tx.query(within(LONG_ANSWER_MS, sql`delete from batch_lines where batch_id = ${batchId}`));
}
