/** The rows of video jobs. State changes follow the table of video-state.ts. */
import type { OwnerScope } from '../access/principal.ts';
import type { JobStatus } from '../contract/job-statuses.ts';
import type { JobUsage, VideoRequest } from '../contract/video.ts';
import { type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { type PageById, pageById } from '../database/page-by-id.ts';
import { json, sql } from '../database/sql.ts';
import type { LeasedJob } from '../jobs/jobs.store.ts';
import { statesBefore } from '../kernel/state-table.ts';
import { type Instant, type Month, monthOf } from '../kernel/time.ts';
import { parseUnits, printUnits, type Units } from '../kernel/units.ts';
import { FORGIVEN_MAX, type Forgiveness } from '../metering/forgive.store.ts';
import type { Charge } from '../pricing/price.ts';
import type { ProviderCost } from '../pricing/provider-cost.ts';
import { detailsWithMissing, storedLines } from '../pricing/stored-details.ts';
import type { CountedUsage } from './count-usage.ts';
import { videoMoves } from './video-state.ts';

/** The request, with references in place of inline data. */
export type KeptRequest = Omit<VideoRequest, 'model' | 'metadata'>;

export interface JobError {
  readonly code: string;
  readonly message: string;
}

export interface NewVideoJob {
  readonly id: string;
  readonly spaceId: string;
  /** The member of a personal key; the key itself if it is shared. */
  readonly owner: string;
  readonly keyId: string;
  readonly memberId: string | null;
  readonly model: string;
  readonly metadata: Readonly<Record<string, string>> | null;
  /** The text of its attribution; null: attributed to nothing. */
  readonly attribution: string | null;
  /** The budgets that it counts in; null: none. */
  readonly budgets: string | null;
  readonly createdAt: Instant;
  /** The deadline of the job; after its success, the expiry of its files. */
  readonly expiresAt: Instant;
}

export interface VideoJob extends NewVideoJob {
  /** Null once the job has ended. */
  readonly request: KeptRequest | null;
  readonly status: JobStatus;
  readonly progress: number | null;
  readonly cancelAsked: boolean;
  readonly error: JobError | null;
  readonly startedAt: Instant | null;
  readonly completedAt: Instant | null;
  /** The job at its provider; written by provider-jobs.store.ts. */
  readonly provider: string | null;
  readonly upstreamModel: string | null;
  readonly providerSentAt: Instant | null;
  readonly providerJobId: string | null;
  readonly usage: JobUsage | null;
  /** Null: unknown, which is not zero. */
  readonly cost: Units | null;
}

/** A video whose job this process has leased. */
export interface LeasedVideo {
  readonly video: VideoJob;
  readonly job: LeasedJob;
}

export async function insertVideoJob(
  tx: Transaction,
  job: NewVideoJob & { request: KeptRequest },
): Promise<void> {
  await tx.query(sql`
    insert into video_jobs (id, space_id, owner, key_id, member_id, model, request, metadata, attribution, budgets, status,
      created_at, expires_at)
    values (${job.id}, ${job.spaceId}, ${job.owner}, ${job.keyId}, ${job.memberId}, ${job.model},
      ${json(job.request)}, ${job.metadata === null ? null : json(job.metadata)}, ${job.attribution}, ${job.budgets}, 'queued',
      ${timestamp(job.createdAt)}, ${timestamp(job.expiresAt)})`);
}

type VideoJobRow = Omit<VideoJob, 'cost'> & { cost: string | null };

const columns = sql`id, space_id as "spaceId", owner, key_id as "keyId", member_id as "memberId", model, request,
  metadata, attribution, budgets, status, progress, cancel_asked as "cancelAsked", error, created_at as "createdAt",
  started_at as "startedAt", completed_at as "completedAt", expires_at as "expiresAt", provider,
  upstream_model as "upstreamModel", provider_sent_at as "providerSentAt", provider_job_id as "providerJobId",
  usage, cost`;

export async function findVideoJob(db: Queryable, id: string): Promise<VideoJob | null> {
  const [row] = await db.query<VideoJobRow>(sql`select ${columns} from video_jobs where id = ${id}`);
  return row === undefined ? null : readVideoJob(row);
}

export async function findVideoJobPage(
  db: Queryable,
  caller: OwnerScope,
  page: PageById,
): Promise<VideoJob[]> {
  const rows = await db.query<VideoJobRow>(sql`
    select ${columns} from video_jobs
    where space_id = ${caller.spaceId} and owner = ${caller.owner} and ${pageById(page)}`);
  return rows.map(readVideoJob);
}

function readVideoJob(row: VideoJobRow): VideoJob {
  return { ...row, cost: row.cost === null ? null : parseUnits(row.cost) };
}

/** Null also for a job of another owner, so that its existence stays hidden. */
export async function findOwnVideoJob(
  db: Queryable,
  id: string,
  caller: OwnerScope,
): Promise<VideoJob | null> {
  const job = await findVideoJob(db, id);
  return job !== null && job.spaceId === caller.spaceId && job.owner === caller.owner ? job : null;
}

/** Requests cancellation; false when the job has ended. */
export async function writeCancelAsked(tx: Transaction, id: string): Promise<boolean> {
  const rows = await tx.query(sql`
    update video_jobs set cancel_asked = true
    where id = ${id} and status = any (${statesBefore(videoMoves, 'cancelled')}) returning id`);
  return rows.length > 0;
}

/** A video of unknown cost that does not count any more. */
export interface ForgivenVideo {
  readonly month: Month;
  readonly keyId: string;
  readonly model: string;
  /** What it counted for. */
  readonly units: Units;
  readonly budgets: string | null;
  readonly endedAt: Instant;
}

/** Videos of unknown cost no longer count; returns what they counted for. */
export async function clearProvisional(
  tx: Transaction,
  of: Pick<Forgiveness, 'spaceId' | 'ref' | 'model'>,
): Promise<ForgivenVideo[]> {
  const rows = await tx.query<Omit<ForgivenVideo, 'units'> & { units: string }>(sql`
    with forgiven as (
      select id, provisional from video_jobs
      where space_id = ${of.spaceId} and provisional > 0 and (${of.model}::text is null or model = ${of.model})
        and (${of.ref}::text is null or id = ${of.ref})
      order by id limit ${FORGIVEN_MAX})
    update video_jobs v set provisional = null from forgiven f where v.id = f.id
    returning v.settled_month as month, v.key_id as "keyId", v.model, f.provisional as units, v.budgets,
      v.settled_at as "endedAt"`);
  return rows.map((row) => ({ ...row, units: parseUnits(row.units) }));
}

export interface EndedVideo {
  readonly status: 'succeeded' | 'failed' | 'cancelled' | 'expired';
  readonly at: Instant;
  /** The expiry of the files; null unless the job succeeded. */
  readonly expiresAt: Instant | null;
  readonly error: JobError | null;
  readonly usage: CountedUsage | null;
  /** The charge, which also counts as a request of the month; null when nothing is charged. */
  readonly charged: {
    readonly priceVersion: string | null;
    /** Null when the price or the usage is unknown. */
    readonly charge: Charge | null;
    readonly entryId: number | null;
    /** What had no price, or `usage` if that is unknown; empty if the charge is known. */
    readonly missing: readonly string[];
    /** What an unknown cost counts for; null: nothing. */
    readonly provisional: Units | null;
  } | null;
  /** What the provider will bill; null: unknown. */
  readonly providerCost?: ProviderCost | null;
}

/** Deletes the stored request. False when the job had ended before. */
export async function writeEnded(tx: Transaction, id: string, end: EndedVideo): Promise<boolean> {
  const { charged, providerCost } = end;
  const at = timestamp(end.at);
  const { videos, seconds } = end.usage ?? {};
  const usage = end.usage === null ? null : json({ videos, seconds });
  const cost = charged === null ? '0' : charged.charge && printUnits(charged.charge.total);
  const lines = charged?.charge ? json(storedLines(charged.charge)) : null;
  const details = detailsWithMissing(undefined, charged?.missing);
  const rows = await tx.query(sql`
    update video_jobs set status = ${end.status}, completed_at = ${at}, request = null,
      -- A quick job may end before a poll sees it running.
      started_at = case when ${end.status} = 'succeeded' then coalesce(started_at, provider_sent_at) else started_at end,
      progress = case when ${end.status} = 'succeeded' then 100 else progress end,
      expires_at = coalesce(${end.expiresAt === null ? null : timestamp(end.expiresAt)}::timestamptz, expires_at),
      error = ${end.error === null ? null : json(end.error)}::json,
      usage = ${usage}::json, usage_source = ${end.usage?.source ?? null},
      price_version = ${charged?.priceVersion ?? null}, charge = ${lines}::json,
      usage_details = ${details && json(details)}::jsonb,
      cost = ${cost}::numeric, provisional = ${charged?.provisional ? printUnits(charged.provisional) : null}::numeric,
      settled_at = ${charged === null ? null : at}::timestamptz,
      settled_month = ${charged === null ? null : monthOf(end.at)}, entry_id = ${charged?.entryId ?? null},
      provider_cost = ${providerCost ? printUnits(providerCost.amount) : null}::numeric,
      provider_currency = ${providerCost?.currency ?? null},
      provider_price_version = ${providerCost?.version ?? null}
    where id = ${id} and status = any (${statesBefore(videoMoves, end.status)}) returning id`);
  return rows.length > 0;
}
