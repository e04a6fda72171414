/**
 * The columns that say what is known of a job at its provider. Batches and videos have them in their own tables and
 * describe these here. Every write requires the lease of the job, so a process that lost the lease writes nothing.
 */
import { type Database, type Queryable, timestamp } from '../database/database.ts';
import type { SqlValue } from '../database/sql.ts';
import { type LeasedJob, withLease } from '../jobs/jobs.store.ts';
import type { Instant } from '../kernel/time.ts';

/** Has the columns `id`, `provider` and `provider_sent_at`, and those named here. */
export interface ProviderJobTable<Detail extends string = string> {
  readonly name: 'batches' | 'video_jobs';
  /** The column with the provider's id of the job. */
  readonly remoteId: 'provider_batch_id' | 'provider_job_id';
  /** Columns that belong to one attempt to create the job. */
  readonly details: readonly Detail[];
  /** SQL that is true while the job should be created. */
  readonly isWanted: string;
  /** Where two jobs cannot have the same provider's id, as the table's unique constraint says. */
  readonly remoteIdsUnique: 'everywhere' | 'per provider';
}

export interface Intent<Detail extends string = string> {
  readonly provider: string;
  readonly at: Instant;
  /** Details that are not given are set to null. */
  readonly details: Readonly<Partial<Record<Detail, string | number>>>;
}

/** Committed before anything is sent, so that a crash cannot hide a create request. Replaces an earlier attempt. */
export async function writeIntent<Detail extends string>(
  db: Database,
  job: LeasedJob,
  { table, intent }: { table: ProviderJobTable<Detail>; intent: Intent<Detail> },
): Promise<void> {
  const { provider, at, details } = intent;
  await writeAttempt(db, job, table, [
    ['provider', provider],
    ['provider_sent_at', timestamp(at)],
    ...table.details.map((column): Assignment => [column, details[column] ?? null]),
  ]);
}

/** The attempt created nothing. */
export async function clearIntent(db: Database, job: LeasedJob, table: ProviderJobTable): Promise<void> {
  const columns = ['provider', 'provider_sent_at', ...table.details];
  await writeAttempt(
    db,
    job,
    table,
    columns.map((column): Assignment => [column, null]),
  );
}

type Assignment = readonly [column: string, value: SqlValue];

/** An attempt that the provider has answered stays as it is. */
async function writeAttempt(
  db: Database,
  job: LeasedJob,
  table: ProviderJobTable,
  assignments: readonly Assignment[],
): Promise<void> {
  const set = assignments.map(([column], index) => `${column} = $${index + 2}`).join(', ');
  const text = `update ${table.name} set ${set} where id = $1 and ${table.remoteId} is null`;
  const values = [job.subject, ...assignments.map(([, value]) => value)];
  await withLease(db, job, (tx) => tx.query({ text, values }));
}

/** The last write before the provider can act. Returns whether the job is still wanted. */
export async function writeSending(
  db: Database,
  job: LeasedJob,
  { table, at }: { table: ProviderJobTable; at: Instant },
): Promise<boolean> {
  const text = `update ${table.name} set provider_sent_at = $2 where id = $1 returning ${table.isWanted} as wanted`;
  const values = [job.subject, timestamp(at)];
  const rows = await withLease(db, job, (tx) => tx.query<{ wanted: boolean }>({ text, values }));
  return rows[0]?.wanted ?? false;
}

export async function writeRemoteId(
  db: Database,
  job: LeasedJob,
  { table, remoteId }: { table: ProviderJobTable; remoteId: string },
): Promise<void> {
  const column = table.remoteId;
  const text = `update ${table.name} set ${column} = $2 where id = $1 and (${column} is null or ${column} = $2)`;
  const values = [job.subject, remoteId];
  await withLease(db, job, (tx) => tx.query({ text, values }));
}

/** Whether a job at the provider is known to belong to another row of the table. */
export async function isOtherJob(
  db: Queryable,
  table: ProviderJobTable,
  job: { readonly id: string; readonly provider: string; readonly remoteId: string },
): Promise<boolean> {
  const { id, provider, remoteId } = job;
  const perProvider = table.remoteIdsUnique === 'per provider';
  const text = `select 1 from ${table.name} where ${table.remoteId} = $1 and id <> $2${perProvider ? ' and provider = $3' : ''}`;
  const rows = await db.query({ text, values: [remoteId, id, ...(perProvider ? [provider] : [])] });
  return rows.length > 0;
}
