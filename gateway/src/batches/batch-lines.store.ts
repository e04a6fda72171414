/** The lines of batches that are done. Writing one proves that the batch is still ours to work on. */
import type { Queryable, Transaction } from '../database/database.ts';
import { LONG_ANSWER_MS } from '../database/deadlines.ts';
import { sql, within } from '../database/sql.ts';
import { type HeldJob, JobLost } from '../jobs/jobs.store.ts';
import { parseUnits, printUnits, type Units } from '../kernel/units.ts';
import type { Usage } from '../pricing/usage.ts';
import type { BatchStatus } from './batch-state.ts';

export interface DoneLine {
  /** Counted from 1, as it stands in the input file. */
  readonly line: number;
  /** The line of the result or error file. */
  readonly text: string;
  readonly ok: boolean;
  /** Null: not known, which is not zero. */
  readonly cost: Units | null;
  readonly usage: Usage | null;
  readonly priceVersion: string | null;
}

/** Answers the state of the batch, so that whoever works on it hears of a cancellation. */
export async function insertLines(
  db: Queryable,
  job: HeldJob,
  lines: readonly DoneLine[],
): Promise<BatchStatus> {
  const [batch] = await db.query<{ status: BatchStatus }>(
    within(
      LONG_ANSWER_MS,
      sql`
    with held as (
      select subject from jobs
      where kind = ${job.kind} and subject = ${job.subject} and epoch = ${job.epoch} for share
    ), added as (
      insert into batch_lines (batch_id, line, text, ok, cost, usage, price_version)
      select held.subject, l.line::integer, l.text, l.ok::boolean, nullif(l.cost, '')::numeric,
        nullif(l.usage, '')::json, nullif(l.price_version, '')
      from held, unnest(${lines.map(({ line }) => String(line))}::text[], ${lines.map(({ text }) => text)}::text[],
        ${lines.map(({ ok }) => String(ok))}::text[],
        ${lines.map(({ cost }) => (cost === null ? '' : printUnits(cost)))}::text[],
        ${lines.map(({ usage }) => (usage === null ? '' : JSON.stringify(usage)))}::text[],
        ${lines.map(({ priceVersion }) => priceVersion ?? '')}::text[])
        as l (line, text, ok, cost, usage, price_version)
      on conflict (batch_id, line) do nothing
      returning ok
    )
    update batches set completed = completed + (select count(*) from added where ok)::integer,
      failed = failed + (select count(*) from added where not ok)::integer
    from held where batches.id = held.subject returning batches.status`,
    ),
  );
  if (batch === undefined) throw new JobLost(`${job.kind} ${job.subject}`);
  return batch.status;
}

/** The numbers of the lines that are done, in order. */
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
  /** Good lines whose cost is not known. */
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

export async function deleteLines(tx: Transaction, batchId: string): Promise<void> {
  await tx.query(within(LONG_ANSWER_MS, sql`delete from batch_lines where batch_id = ${batchId}`));
}

/** Good lines whose cost is not known. */
export async function listUnpricedLines(
  db: Queryable,
  batchId: string,
  page: { after: number; linesMax: number },
): Promise<Array<Pick<DoneLine, 'line' | 'usage'>>> {
  return await db.query(
    within(
      LONG_ANSWER_MS,
      sql`
    select line, usage from batch_lines
    where batch_id = ${batchId} and ok and cost is null and line > ${page.after}
    order by line limit ${page.linesMax}`,
    ),
  );
}

export async function writeLineCosts(
  db: Queryable,
  batchId: string,
  costs: ReadonlyArray<{ line: number; cost: Units }>,
  priceVersion: string | null,
): Promise<void> {
  await db.query(
    within(
      LONG_ANSWER_MS,
      sql`
    update batch_lines set cost = priced.cost::numeric, price_version = ${priceVersion}
    from unnest(${costs.map(({ line }) => String(line))}::text[], ${costs.map(({ cost }) => printUnits(cost))}::text[])
      as priced (line, cost)
    where batch_id = ${batchId} and batch_lines.line = priced.line::integer`,
    ),
  );
}
