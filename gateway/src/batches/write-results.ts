/**
 * Writes the output file and the error file of a batch, in the order of the input. Lines that never ran are in the
 * error file, so every line is in exactly one of the two.
 */
import type { Readable } from 'node:stream';
import type { BlobKeeper, PendingBlob } from '../blobs/blob-keeper.ts';
import type { Database } from '../database/database.ts';
import { newId } from '../kernel/ids.ts';
import type { Clock } from '../kernel/time.ts';
import type { OnSettled } from '../metering/settled-job.ts';
import { type DoneLine, readLines } from './batch-lines.store.ts';
import type { Batch } from './batches.store.ts';
import { inputLines } from './input-lines.ts';
import { unrunLine } from './result-line.ts';

export interface WriteResultsTools {
  readonly db: Database;
  readonly clock: Clock;
  readonly keeper: BlobKeeper;
  /** Absent where nothing is counted, as for the invented past of the demo. */
  readonly onSettled?: OnSettled;
}

/** Null when the file would be empty. */
export interface ResultBlobs {
  readonly output: PendingBlob | null;
  readonly errors: PendingBlob | null;
}

const PAGE_LINES = 500;
const CHUNK_CHARACTERS = 256 * 1024;

/** `input` is needed when some lines never ran. */
export async function writeResults(
  batch: Batch,
  input: Readable | null,
  tools: WriteResultsTools,
): Promise<ResultBlobs> {
  const output = new ResultFile(tools);
  const errors = new ResultFile(tools);
  try {
    const put = (line: Pick<DoneLine, 'text' | 'ok'>): Promise<void> =>
      (line.ok ? output : errors).append(line.text);
    if (input === null) for await (const line of doneLines(batch.id, tools.db)) await put(line);
    else await putAll(batch, input, { put, tools });
    return { output: await output.commit(), errors: await errors.commit() };
  } catch (error) {
    await output.abort();
    await errors.abort();
    throw error;
  }
}

/** Reads the input in order next to the results, and adds an error for each line without one. */
async function putAll(
  batch: Batch,
  input: Readable,
  { put, tools }: { put: (line: Pick<DoneLine, 'text' | 'ok'>) => Promise<void>; tools: WriteResultsTools },
): Promise<void> {
  const error = reasonUnrun(batch);
  const done = doneLines(batch.id, tools.db);
  let next = await done.next();
  for await (const { bytes, line } of inputLines(input)) {
    if (!next.done && next.value.line === line) {
      await put(next.value);
      next = await done.next();
      continue;
    }
    const { custom_id } = JSON.parse(bytes.toString('utf8')) as { custom_id: string };
    await put({ text: unrunLine(custom_id, error), ok: false });
  }
}

function reasonUnrun({ status }: Batch): { code: string; message: string } {
  switch (status) {
    case 'expired':
      return { code: 'batch_expired', message: 'The line was not run before the batch expired.' };
    case 'failed':
      return { code: 'batch_failed', message: 'The line was not run because the batch failed as a whole.' };
    default:
      return { code: 'batch_cancelled', message: 'The line was not run before the batch was cancelled.' };
  }
}

async function* doneLines(
  batchId: string,
  db: Database,
): AsyncGenerator<Pick<DoneLine, 'line' | 'text' | 'ok'>, undefined> {
  let after = 0;
  for (;;) {
    const page = await readLines(db, batchId, { after, linesMax: PAGE_LINES });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_LINES) return;
    after = last.line;
  }
}

/** Created with its first line, so that no empty file is written. */
class ResultFile {
  readonly #tools: WriteResultsTools;
  #blob: PendingBlob | null = null;
  #text = '';

  constructor(tools: WriteResultsTools) {
    this.#tools = tools;
  }

  async append(line: string): Promise<void> {
    this.#blob ??= await this.#tools.keeper.write(newId('file', this.#tools.clock.now()));
    this.#text += `${line}\n`;
    if (this.#text.length >= CHUNK_CHARACTERS) await this.#flush();
  }

  async commit(): Promise<PendingBlob | null> {
    if (this.#blob === null) return null;
    await this.#flush();
    await this.#blob.commit();
    return this.#blob;
  }

  async abort(): Promise<void> {
    await this.#blob?.abort();
  }

  async #flush(): Promise<void> {
    const text = this.#text;
    this.#text = '';
    await this.#blob?.append(Buffer.from(text, 'utf8'));
  }
}
