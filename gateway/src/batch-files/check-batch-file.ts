/**
 * Checks a batch file while its bytes arrive: each line, and the rules that concern all lines together. It keeps one
 * line, the custom ids and the reported bad rows in memory.
 */
import type { Model } from '../catalog/model.ts';
import { BATCH_LINE_BYTES_MAX } from '../contract/batch-lines/batch-limits.ts';
import { BatchLines } from '../contract/batch-lines/batch-lines.ts';
import { BatchRows, type BatchRowsReport } from '../contract/batch-lines/batch-rows.ts';
import { faultyLine } from '../contract/batch-lines/check-line-value.ts';
import { SHORT_BYTES } from '../json/parse-large-json.ts';
import { sha256 } from '../kernel/digest.ts';
import {
  type CheckedLine,
  type CheckLineFacts,
  checkBatchLine,
  checkLongLine,
  type FindBatchModel,
  type LineFacts,
} from './check-batch-line.ts';

export type BatchFileReport = BatchRowsReport<Model>;

export interface BatchFileCheckOptions {
  readonly findModel: FindBatchModel;
  readonly badRowsMax: number;
  /** Parses long lines in slices, in `settle`. For servers, where a long line must not delay other callers. */
  readonly inSlices?: boolean;
  readonly checkFacts?: CheckLineFacts;
  /** Called for every valid row. */
  readonly onRow?: (facts: LineFacts, row: number) => void;
}

export class BatchFileCheck {
  readonly #options: BatchFileCheckOptions;
  readonly #lines: BatchLines<Buffer>;
  readonly #rows: BatchRows<Model>;
  /** A long line and the lines after it, in order. Null bytes: the line is above the limit. */
  readonly #waiting: Array<{ bytes: Buffer | null; row: number }> = [];

  constructor(options: BatchFileCheckOptions) {
    this.#options = options;
    const { badRowsMax, onRow } = options;
    this.#rows = new BatchRows({ badRowsMax, onRow, digest: sha256 });
    this.#lines = new BatchLines<Buffer>({
      bytesMax: BATCH_LINE_BYTES_MAX,
      join: Buffer.concat,
      onLine: (bytes, row) => this.#line(bytes, row),
      onTooLong: (row) => {
        if (this.needsSettle) this.#waiting.push({ bytes: null, row });
        else this.#rows.tooLong(row);
      },
    });
  }

  push(chunk: Buffer): void {
    if (!this.#rows.full) this.#lines.push(chunk);
  }

  /** True when a long line was pushed: `settle` must be awaited before the next push. */
  get needsSettle(): boolean {
    return this.#waiting.length > 0;
  }

  async settle(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const { bytes, row } = next;
      if (bytes === null) this.#rows.tooLong(row);
      else if (bytes.length <= SHORT_BYTES) this.#check(bytes, row);
      else if (this.#rows.count(row))
        this.#rows.take(this.#facts(await checkLongLine(bytes, this.#options.findModel)), row);
    }
  }

  /** Ends a file that is checked in slices. */
  async endInSlices(): Promise<BatchFileReport> {
    if (!this.#rows.full) this.#lines.end();
    await this.settle();
    return this.#rows.report();
  }

  end(): BatchFileReport {
    if (!this.#rows.full) this.#lines.end();
    return this.#rows.report();
  }

  #line(bytes: Buffer, row: number): void {
    const long = this.#options.inSlices === true && bytes.length > SHORT_BYTES;
    if (long || this.needsSettle) this.#waiting.push({ bytes, row });
    else this.#check(bytes, row);
  }

  #check(bytes: Buffer, row: number): void {
    this.#rows.add(row, () => this.#facts(checkBatchLine(bytes, this.#options.findModel)));
  }

  #facts(checked: CheckedLine): CheckedLine {
    const { facts } = checked;
    const fault = facts === null ? null : (this.#options.checkFacts?.(facts) ?? null);
    return fault === null ? checked : faultyLine([fault], facts?.customId);
  }
}
