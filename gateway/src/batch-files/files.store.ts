/** The rows of files. Every lookup on behalf of a key is limited to its space and owner. */

import type { OwnerScope } from '../access/principal.ts';
import type { FilePurpose } from '../contract/files.ts';
import type { BatchUrl } from '../contract/paid-endpoints.ts';
import { type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { type PageById, pageById } from '../database/page-by-id.ts';
import { json, type Sql, sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import type { FileEstimate } from './file-estimate.ts';

/** The facts about the rows of an uploaded file. */
export interface BatchFacts {
  readonly rowCount: number;
  readonly model: string;
  readonly endpoint: BatchUrl;
  readonly embeddingInputs: number;
  readonly estimate: FileEstimate;
}

export interface StoredFile extends OwnerScope {
  readonly id: string;
  readonly purpose: FilePurpose;
  readonly filename: string;
  readonly bytes: number | null;
  readonly sha256: string;
  /** The name of the blob with its bytes. */
  readonly blob: string;
  /** Null for result files. */
  readonly batch: BatchFacts | null;
  /** The batch of a result file; null for uploads. */
  readonly batchId: string | null;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
}

type FileRow = Omit<StoredFile, 'batch'> & { [Fact in keyof BatchFacts]: BatchFacts[Fact] | null };

export async function insertFile(tx: Transaction, file: StoredFile): Promise<void> {
  const { batch } = file;
  await tx.query(sql`
    insert into files (id, space_id, owner, purpose, filename, bytes, sha256, blob, row_count, model, endpoint,
      embedding_inputs, estimate, batch_id, created_at, expires_at)
    values (${file.id}, ${file.spaceId}, ${file.owner}, ${file.purpose}, ${file.filename}, ${file.bytes},
      ${file.sha256}, ${file.blob}, ${batch?.rowCount ?? null}, ${batch?.model ?? null},
      ${batch?.endpoint ?? null}, ${batch?.embeddingInputs ?? null},
      ${batch?.estimate ? json(batch.estimate) : null}, ${file.batchId},
      ${timestamp(file.createdAt)}, ${timestamp(file.expiresAt)})`);
}

/** Null when there is no such file in this scope, or it has expired. */
export async function findOwnFile(
  db: Queryable,
  id: string,
  at: OwnerScope & { now: Instant },
): Promise<StoredFile | null> {
  const file = await findAnyFile(db, id, at.now);
  return file !== null && file.spaceId === at.spaceId && file.owner === at.owner ? file : null;
}

/** A file of any owner: the caller must check who may read it. */
export async function findAnyFile(db: Queryable, id: string, now: Instant): Promise<StoredFile | null> {
  const [row] = await db.query<FileRow>(sql`
    select id, space_id as "spaceId", owner, purpose, filename, bytes, sha256, blob, row_count as "rowCount",
      model, endpoint, embedding_inputs as "embeddingInputs", estimate, batch_id as "batchId",
      created_at as "createdAt", expires_at as "expiresAt"
    from files
    where id = ${id} and expires_at > ${timestamp(now)}`);
  return row === undefined ? null : readFile(row);
}

/** A file as a list shows it. */
export type ListedFile = Pick<StoredFile, 'id' | 'purpose' | 'filename' | 'bytes' | 'createdAt'>;

/** Null as purpose: every purpose. Each is read from the one index that has its rows in order. */
export async function findFilePage(
  db: Queryable,
  at: OwnerScope & { now: Instant },
  page: PageById & { purpose: FilePurpose | null },
): Promise<ListedFile[]> {
  const idPageOf = (purpose: FilePurpose): Sql => sql`
    select id, purpose, filename, bytes, created_at as "createdAt" from files
    where space_id = ${at.spaceId} and owner = ${at.owner} and purpose = ${purpose}
      and expires_at > ${timestamp(at.now)} and ${pageById(page)}`;
  return await db.query<ListedFile>(
    page.purpose === null
      ? sql`select * from ((${idPageOf('batch')}) union all (${idPageOf('batch_output')})) as listed where ${pageById(page)}`
      : idPageOf(page.purpose),
  );
}

/** The newest upload of the same bytes by the same owner since then. */
export async function findSameUpload(
  db: Queryable,
  upload: OwnerScope & { sha256: string; bytes: number },
  since: Instant,
): Promise<string | null> {
  const [row] = await db.query<{ id: string }>(sql`
    select id from files
    where space_id = ${upload.spaceId} and owner = ${upload.owner} and sha256 = ${upload.sha256}
      and bytes = ${upload.bytes} and purpose = 'batch' and created_at > ${timestamp(since)}
    order by created_at desc limit 1`);
  return row?.id ?? null;
}

/** Until the end of the transaction nobody deletes it, and no batch begins with it. False if it is gone. */
export async function lockFile(tx: Transaction, id: string): Promise<boolean> {
  return (await tx.query(sql`select 1 from files where id = ${id} for update`)).length > 0;
}

/** Until the end of the transaction nobody deletes it; others may hold it too. False if it is gone. */
export async function holdFile(tx: Transaction, id: string): Promise<boolean> {
  return (await tx.query(sql`select 1 from files where id = ${id} for key share`)).length > 0;
}

export async function deleteFile(db: Queryable, id: string): Promise<void> {
  await db.query(sql`delete from files where id = ${id}`);
}

function readFile({ rowCount, model, endpoint, embeddingInputs, estimate, ...file }: FileRow): StoredFile {
  const batch = { rowCount, model, endpoint, embeddingInputs, estimate } as BatchFacts;
  return { ...file, batch: rowCount === null ? null : batch };
}
