/**
 * Uploads a batch file: hashes, checks and stores its bytes in one pass while they arrive. An upload either creates a
 * file or leaves nothing behind: no row, no blob, no claimed key.
 */

import { createHash } from 'node:crypto';
import { type OwnerScope, ownerOf, type Principal } from '../access/principal.ts';
import type { BlobKeeper, PendingBlob } from '../blobs/blob-keeper.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { BAD_ROWS_MAX, BATCH_FILE_BYTES_MAX } from '../contract/batch-lines/batch-limits.ts';
import type { RowFault } from '../contract/batch-lines/row-fault.ts';
import type { FileObject } from '../contract/files.ts';
import type { Database } from '../database/database.ts';
import type { Claim, Decided, Once } from '../idempotency/once.ts';
import { DAY_MS, HOUR_MS } from '../kernel/durations.ts';
import { newId } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import { BatchFileCheck, type BatchFileReport } from './check-batch-file.ts';
import type { LineFacts } from './check-batch-line.ts';
import { FileSizes, type LineSize } from './file-estimate.ts';
import { fileObject } from './file-object.ts';
import { findOwnFile, findSameUpload, insertFile, type StoredFile } from './files.store.ts';
import { batchModelsOf } from './find-batch-model.ts';

export const FILE_DAYS = 30;
/** Without an Idempotency-Key, uploading the same bytes again within this time returns the same file. */
export const SAME_FILE_MS = HOUR_MS;

export interface UploadTools {
  readonly db: Database;
  readonly keeper: BlobKeeper;
  readonly once: Once;
  readonly catalog: () => Catalog;
  readonly clock: Clock;
  /** Rejects lines that ask for something without a price. */
  readonly checkLinePrices?: (facts: LineFacts, principal: Principal) => RowFault | null;
  /** What a line asks for, to estimate what the file costs. */
  readonly sizeOf: (facts: LineFacts) => LineSize;
}

/** Append the bytes, then finish or abort. */
export interface BatchUpload {
  append(bytes: Buffer): Promise<void>;
  finish(filename: string): Promise<FileObject>;
  /** Call after any error, including those of the caller. Never throws. */
  abort(): Promise<void>;
}

/** Claims the Idempotency-Key before the body is read. Null: the request has none. */
export async function beginBatchUpload(
  request: { principal: Principal; key: string | null },
  tools: UploadTools,
): Promise<BatchUpload> {
  const { principal, key } = request;
  const scope: OwnerScope = { spaceId: principal.spaceId, owner: ownerOf(principal) };
  return await whenAvailable(async () => {
    if (key === null) return await NewUpload.begin(principal, scope, { ...tools, claim: null });
    const begun = await tools.once.begin({ ...scope, operation: 'files.create', key });
    if (begun.decided) return new RepeatedUpload(begun, scope, tools);
    try {
      return await NewUpload.begin(principal, scope, { ...tools, claim: begun });
    } catch (error) {
      await begun.release();
      throw error;
    }
  });
}

class NewUpload implements BatchUpload {
  readonly #scope: OwnerScope;
  readonly #tools: UploadTools & { claim: Claim | null };
  readonly #blob: PendingBlob;
  readonly #check: BatchFileCheck;
  readonly #sizes: FileSizes;
  #bytes = 0;

  static async begin(
    principal: Principal,
    scope: OwnerScope,
    tools: UploadTools & { claim: Claim | null },
  ): Promise<NewUpload> {
    const findModel = batchModelsOf(tools.catalog(), principal);
    const sizes = new FileSizes();
    const blob = await tools.keeper.write(newId('file', tools.clock.now()));
    return new NewUpload(scope, tools, {
      blob,
      sizes,
      check: new BatchFileCheck({
        findModel,
        badRowsMax: BAD_ROWS_MAX,
        inSlices: true,
        checkFacts: (facts) => tools.checkLinePrices?.(facts, principal) ?? null,
        onRow: (facts) => sizes.add(tools.sizeOf(facts)),
      }),
    });
  }

  private constructor(
    scope: OwnerScope,
    tools: UploadTools & { claim: Claim | null },
    parts: { blob: PendingBlob; sizes: FileSizes; check: BatchFileCheck },
  ) {
    this.#scope = scope;
    this.#tools = tools;
    this.#blob = parts.blob;
    this.#sizes = parts.sizes;
    this.#check = parts.check;
  }

  async append(bytes: Buffer): Promise<void> {
    this.#bytes += bytes.length;
    checkSize(this.#bytes);
    this.#check.push(bytes);
    if (this.#check.needsSettle) await this.#check.settle();
    await whenAvailable(() => this.#blob.append(bytes));
  }

  async finish(filename: string): Promise<FileObject> {
    const report = await this.#check.endInSlices();
    const { sha256, bytes } = this.#blob.soFar();
    if (report.badRowCount > 0) {
      const problem = invalidLine(report);
      // The same bytes would be rejected again, so the rejection is stored under the key.
      await this.#tools.claim?.fail(sha256, problem);
      throw problem;
    }
    return await whenAvailable(async () => {
      const same = this.#tools.claim === null ? await this.#sameFile({ sha256, bytes }) : null;
      if (same !== null) {
        await this.#blob.abort();
        return fileObject(same);
      }
      return fileObject(await this.#keep(filename, report));
    });
  }

  async abort(): Promise<void> {
    await this.#blob.abort();
    await this.#tools.claim?.release();
  }

  async #sameFile(content: { sha256: string; bytes: number }): Promise<StoredFile | null> {
    const { db, clock } = this.#tools;
    const now = clock.now();
    const id = await findSameUpload(db, { ...this.#scope, ...content }, now - SAME_FILE_MS);
    return id === null ? null : await findOwnFile(db, id, { ...this.#scope, now });
  }

  async #keep(filename: string, report: BatchFileReport): Promise<StoredFile> {
    const { db, clock, claim } = this.#tools;
    const { rows: rowCount, model, url, embeddingInputs } = report;
    if (model === null || url === null) throw new Error('a file without rows was accepted');
    const written = await this.#blob.commit();
    const now = clock.now();
    const file: StoredFile = {
      id: this.#blob.name,
      ...this.#scope,
      purpose: 'batch',
      filename,
      ...written,
      blob: this.#blob.name,
      batch: { rowCount, model: model.code, endpoint: url, embeddingInputs, estimate: this.#sizes.groups() },
      batchId: null,
      createdAt: now,
      expiresAt: now + FILE_DAYS * DAY_MS,
    };
    await db.transaction(async (tx) => {
      await this.#blob.adopt(tx);
      await insertFile(tx, file);
      await claim?.complete(tx, { digest: written.sha256, outcome: { result: file.id } });
    });
    claim?.close();
    return file;
  }
}

/** The key has an outcome already; the bytes only show whether this is the same request. */
class RepeatedUpload implements BatchUpload {
  readonly #decided: Decided;
  readonly #scope: OwnerScope;
  readonly #tools: UploadTools;
  readonly #hash = createHash('sha256');
  #bytes = 0;

  constructor(decided: Decided, scope: OwnerScope, tools: UploadTools) {
    this.#decided = decided;
    this.#scope = scope;
    this.#tools = tools;
  }

  async append(bytes: Buffer): Promise<void> {
    this.#bytes += bytes.length;
    checkSize(this.#bytes);
    this.#hash.update(bytes);
  }

  async finish(): Promise<FileObject> {
    const id = this.#decided.replay(this.#hash.digest('hex'));
    const { db, clock } = this.#tools;
    const file = await whenAvailable(() => findOwnFile(db, id, { ...this.#scope, now: clock.now() }));
    if (file === null) throw deletedFile();
    return fileObject(file);
  }

  async abort(): Promise<void> {}
}

/** Two files under one key are never created, so a deleted file needs a new key. */
function deletedFile(): Problem {
  return new Problem('file_not_found', {
    detail:
      'The file that was uploaded with this Idempotency-Key was deleted. Upload it again with a new key.',
    param: 'Idempotency-Key',
  });
}

function checkSize(bytes: number): void {
  if (bytes <= BATCH_FILE_BYTES_MAX) return;
  throw new Problem('file_too_large', {
    detail: `The file is larger than ${BATCH_FILE_BYTES_MAX} bytes; split it into several.`,
    param: 'file',
  });
}

/** The error for a batch file with bad rows: describes the first fault and lists all of up to 100 rows. Pure. */
function invalidLine({ badRows, badRowCount, listedRowCount }: BatchFileReport): Problem {
  const [first] = badRows;
  if (first === undefined) throw new Error('the file has no bad row');
  const described = `Row ${first.row}, ${first.reason}: ${first.advice}`;
  const listed = listedRowCount === badRowCount ? 'all of them' : `the first ${listedRowCount}`;
  const rest = badRowCount === 1 ? '' : ` ${badRowCount} rows are not valid; error.rows lists ${listed}.`;
  return new Problem('invalid_line', {
    detail: `${described}${rest}`,
    param: first.field ?? 'file',
    rows: badRows.map(({ row, reason, field }) => ({ row, reason, field })),
  });
}
