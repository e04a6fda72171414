/**
 * Checks a batch file while its bytes arrive: each line, and the rules that concern all lines together. It keeps one
 * line, the custom ids and the reported bad rows in memory.
 */
import type { BatchEndpoint, Model } from '../catalog/model.ts';
import {
  BATCH_LINE_BYTES_MAX,
  BATCH_ROWS_MAX,
  type BatchUrl,
  EMBEDDING_INPUTS_MAX,
} from '../contract/files.ts';
import { sha256 } from '../kernel/digest.ts';
import { SHORT_BYTES } from '../kernel/json/parse-large-json.ts';
import { BatchLines } from './batch-lines.ts';
import {
  type CheckedLine,
  checkBatchLine,
  checkLongLine,
  type FindBatchModel,
  type LineFacts,
} from './check-batch-line.ts';
import type { BadRow, RowFault } from './row-fault.ts';

export interface BatchFileReport {
  readonly rows: number;
  /** Of the first valid row; null when there is none. */
  readonly model: Model | null;
  readonly url: BatchUrl | null;
  readonly endpoint: BatchEndpoint | null;
  readonly embeddingInputs: number;
  /** In order, at most `badRowsMax`. */
  readonly badRows: readonly BadRow[];
  readonly badRowCount: number;
}

export interface BatchFileCheckOptions {
  readonly findModel: FindBatchModel;
  readonly badRowsMax: number;
  /** Parses long lines in slices, in `settle`. For servers, where a long line must not delay other callers. */
  readonly inSlices?: boolean;
  /** Called for every valid row. */
  readonly onRow?: (facts: LineFacts, row: number) => void;
}

/** Longer custom ids are stored as digests, so that 50,000 of them take a few megabytes at most. */
const NAME_CHARACTERS_MAX = 64;

export class BatchFileCheck {
  readonly #options: BatchFileCheckOptions;
  readonly #lines: BatchLines;
  readonly #rowOfName = new Map<string, number>();
  readonly #badRows: BadRow[] = [];
  /** A long line and the lines after it, in order. Null bytes: the line is above the limit. */
  readonly #waiting: Array<{ bytes: Buffer | null; row: number }> = [];
  #badRowCount = 0;
  #rows = 0;
  #first: Pick<LineFacts, 'url' | 'endpoint' | 'model'> | null = null;
  #embeddingInputs = 0;
  /** The file has too many rows; the rest is not checked. */
  #full = false;

  constructor(options: BatchFileCheckOptions) {
    this.#options = options;
    this.#lines = new BatchLines({
      bytesMax: BATCH_LINE_BYTES_MAX,
      onLine: (bytes, row) => this.#line(bytes, row),
      onTooLong: (row) => {
        if (this.needsSettle) this.#waiting.push({ bytes: null, row });
        else this.#tooLong(row);
      },
    });
  }

  push(chunk: Buffer): void {
    if (!this.#full) this.#lines.push(chunk);
  }

  /** True when a long line was pushed: `settle` must be awaited before the next push. */
  get needsSettle(): boolean {
    return this.#waiting.length > 0;
  }

  async settle(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const { bytes, row } = next;
      if (bytes === null) this.#tooLong(row);
      else if (bytes.length <= SHORT_BYTES) this.#check(bytes, row);
      else if (this.#counted(row)) this.#checked(await checkLongLine(bytes, this.#options.findModel), row);
    }
  }

  /** Ends a file that is checked in slices. */
  async endInSlices(): Promise<BatchFileReport> {
    if (!this.#full) this.#lines.end();
    await this.settle();
    return this.#report();
  }

  end(): BatchFileReport {
    if (!this.#full) this.#lines.end();
    return this.#report();
  }

  #report(): BatchFileReport {
    if (this.#rows === 0) {
      this.#bad(1, { reason: 'empty_file', field: null, advice: 'The file has no rows.' });
    }
    return {
      rows: this.#rows,
      model: this.#first?.model ?? null,
      url: this.#first?.url ?? null,
      endpoint: this.#first?.endpoint ?? null,
      embeddingInputs: this.#embeddingInputs,
      badRows: this.#badRows,
      badRowCount: this.#badRowCount,
    };
  }

  #line(bytes: Buffer, row: number): void {
    const long = this.#options.inSlices === true && bytes.length > SHORT_BYTES;
    if (long || this.needsSettle) this.#waiting.push({ bytes, row });
    else this.#check(bytes, row);
  }

  #check(bytes: Buffer, row: number): void {
    if (this.#counted(row)) this.#checked(checkBatchLine(bytes, this.#options.findModel), row);
  }

  #checked({ facts, fault }: CheckedLine, row: number): void {
    if (fault !== null) this.#bad(row, fault);
    else this.#good(facts, row);
  }

  #tooLong(row: number): void {
    if (!this.#counted(row)) return;
    const advice = `The line is longer than ${BATCH_LINE_BYTES_MAX} bytes; make it shorter.`;
    this.#bad(row, { reason: 'line_too_long', field: null, advice });
  }

  #counted(row: number): boolean {
    if (this.#full) return false;
    if (this.#rows < BATCH_ROWS_MAX) {
      this.#rows++;
      return true;
    }
    this.#full = true;
    const advice = `A file has at most ${BATCH_ROWS_MAX} rows; put the rest into another.`;
    this.#bad(row, { reason: 'too_many_rows', field: null, advice });
    return false;
  }

  #good(facts: LineFacts, row: number): void {
    // The custom id counts as used even if the row fails one of the other checks.
    const fault = this.#checkName(facts.customId, row) ?? this.#checkFirst(facts) ?? this.#checkInputs(facts);
    if (fault !== null) this.#bad(row, fault);
    else this.#options.onRow?.(facts, row);
  }

  #checkName(customId: string, row: number): RowFault | null {
    const name = customId.length <= NAME_CHARACTERS_MAX ? customId : `long:${sha256(customId)}`;
    const other = this.#rowOfName.get(name);
    if (other === undefined) {
      this.#rowOfName.set(name, row);
      return null;
    }
    const advice = `Row ${other} has the same custom_id; give each row its own.`;
    return { reason: 'duplicate_custom_id', field: 'custom_id', advice };
  }

  #checkFirst(facts: LineFacts): RowFault | null {
    this.#first ??= { url: facts.url, endpoint: facts.endpoint, model: facts.model };
    const first = this.#first;
    if (facts.url !== first.url) {
      const advice = `Rows before this one are for ${first.url}; a file is for one url.`;
      return { reason: 'mixed_endpoint', field: 'url', advice };
    }
    if (facts.model.code !== first.model.code) {
      const advice = `Rows before this one are for ${first.model.code}; a file is for one model.`;
      return { reason: 'mixed_model', field: 'body.model', advice };
    }
    return null;
  }

  #checkInputs(facts: LineFacts): RowFault | null {
    this.#embeddingInputs += facts.embeddingInputs;
    if (this.#embeddingInputs <= EMBEDDING_INPUTS_MAX) return null;
    const advice = `With this row the file has ${this.#embeddingInputs} embedding inputs; it may have ${EMBEDDING_INPUTS_MAX}.`;
    return { reason: 'too_many_embedding_inputs', field: 'body.input', advice };
  }

  #bad(row: number, fault: RowFault): void {
    this.#badRowCount++;
    if (this.#badRows.length < this.#options.badRowsMax) this.#badRows.push({ row, ...fault });
  }
}
