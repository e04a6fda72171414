/** The rows of files that jobs produce. The caller of a lookup decides who may see the file. */
import type { OwnerScope } from '../access/principal.ts';
import type { MediaStatus } from '../contract/video.ts';
import { type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';

export interface StoredMedia extends OwnerScope {
  /** Also the name of its blob. */
  readonly id: string;
  readonly jobId: string;
  /** Its index among the files of its job, from 0. */
  readonly position: number;
  readonly kind: 'video';
  readonly status: MediaStatus;
  readonly mimeType: string;
  readonly bytes: number | null;
  readonly sha256: string | null;
  readonly durationSeconds: number | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly createdAt: Instant;
  /** Null until it is ready. */
  readonly expiresAt: Instant | null;
}

/** A file whose bytes are stored. */
export interface ReadyMedia extends StoredMedia {
  readonly status: 'ready';
  readonly bytes: number;
  readonly sha256: string;
  readonly expiresAt: Instant;
}

/** What is known of a file once its blob is complete. */
export interface MediaFacts {
  readonly bytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
  readonly durationSeconds: number | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly expiresAt: Instant;
}

/** A file that is not generated yet. */
export type NewMedia = Pick<
  StoredMedia,
  'id' | 'spaceId' | 'owner' | 'jobId' | 'position' | 'kind' | 'mimeType' | 'createdAt'
>;

/** Numerics are returned as decimal text. */
type MediaRow = Omit<StoredMedia, 'durationSeconds'> & { readonly durationSeconds: string | null };

export async function insertMedia(tx: Transaction, media: NewMedia): Promise<void> {
  const { id, spaceId, owner, jobId, position, kind, mimeType, createdAt } = media;
  await tx.query(sql`
    insert into media (id, space_id, owner, job_id, position, kind, status, mime_type, created_at)
    values (${id}, ${spaceId}, ${owner}, ${jobId}, ${position}, ${kind}, 'pending', ${mimeType},
      ${timestamp(createdAt)})`);
}

const columns = sql`id, space_id as "spaceId", owner, job_id as "jobId", position, kind, status,
  mime_type as "mimeType", bytes, sha256, duration_seconds as "durationSeconds", width, height,
  created_at as "createdAt", expires_at as "expiresAt"`;

/** The files of a job, in their order. */
export async function listMedia(db: Queryable, jobId: string): Promise<StoredMedia[]> {
  return await listMediaOfJobs(db, [jobId]);
}

/** The files of each job are in their order. */
export async function listMediaOfJobs(db: Queryable, jobIds: readonly string[]): Promise<StoredMedia[]> {
  const rows = await db.query<MediaRow>(sql`
    select ${columns} from media where job_id = any (${jobIds}) order by job_id, position`);
  return rows.map(readMedia);
}

/** Of any owner, expired or not. */
export async function findMedia(db: Queryable, id: string): Promise<StoredMedia | null> {
  const [row] = await db.query<MediaRow>(sql`
    select ${columns} from media where id = ${id}`);
  return row === undefined ? null : readMedia(row);
}

/** False if it is not pending, because another process was faster. */
export async function writeReady(tx: Transaction, id: string, facts: MediaFacts): Promise<boolean> {
  const { bytes, sha256, durationSeconds, width, height, expiresAt } = facts;
  const rows = await tx.query(sql`
    update media set status = 'ready', bytes = ${bytes}, sha256 = ${sha256},
      duration_seconds = ${durationSeconds}, width = ${width}, height = ${height},
      expires_at = ${timestamp(expiresAt)}
    where id = ${id} and status = 'pending' returning id`);
  return rows.length > 0;
}

/** False if it is not pending. */
export async function writeFailed(tx: Transaction, id: string): Promise<boolean> {
  const rows = await tx.query(sql`
    update media set status = 'failed' where id = ${id} and status = 'pending' returning id`);
  return rows.length > 0;
}

/** Expired files, at most `rowsMax`, oldest first. */
export async function findExpiredMedia(
  db: Queryable,
  now: Instant,
  rowsMax: number,
): Promise<Array<{ id: string; blob: string }>> {
  return await db.query(sql`
    select id, id as blob from media where expires_at <= ${timestamp(now)} order by expires_at limit ${rowsMax}`);
}

export async function deleteMedia(db: Queryable, id: string): Promise<void> {
  await db.query(sql`delete from media where id = ${id}`);
}

export function isReady(media: StoredMedia): media is ReadyMedia {
  return media.status === 'ready';
}

function readMedia({ durationSeconds, ...media }: MediaRow): StoredMedia {
  return { ...media, durationSeconds: durationSeconds === null ? null : Number(durationSeconds) };
}
