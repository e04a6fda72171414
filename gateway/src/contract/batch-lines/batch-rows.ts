/** The rules that concern all rows of a batch file together: counts, names, one model and one endpoint. Pure. */
import {
  BATCH_LINE_BYTES_MAX,
  BATCH_ROWS_MAX,
  type BatchEndpoint,
  type BatchUrl,
  EMBEDDING_INPUTS_MAX,
} from './batch-limits.ts';
import type { BatchLineModel, CheckedLineValue, LineValueFacts } from './check-line-value.ts';
import type { BadRow, RowFault } from './row-fault.ts';

export interface BatchRowsReport<Model extends BatchLineModel> {
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

export interface BatchRowsOptions<Model extends BatchLineModel> {
  readonly badRowsMax: number;
  /** Shortens long custom ids without giving two of them the same name. */
  readonly digest: (text: string) => string;
  /** Called for every valid row. */
  readonly onRow?: ((facts: LineValueFacts<Model>, row: number) => void) | undefined;
}

/** Longer custom ids are stored as digests, so that 50,000 of them take a few megabytes at most. */
const NAME_CHARACTERS_MAX = 64;

export class BatchRows<Model extends BatchLineModel> {
  readonly #options: BatchRowsOptions<Model>;
  readonly #rowOfName = new Map<string, number>();
  readonly #badRows: BadRow[] = [];
  #badRowCount = 0;
  #rows = 0;
  #first: Pick<LineValueFacts<Model>, 'url' | 'endpoint' | 'model'> | null = null;
  #embeddingInputs = 0;
  /** The file has too many rows; the rest is not checked. */
  #full = false;

  constructor(options: BatchRowsOptions<Model>) {
    this.#options = options;
  }

  get full(): boolean {
    return this.#full;
  }

  report(): BatchRowsReport<Model> {
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

  /** Adds a row if there is room for it. */
  add(row: number, check: () => CheckedLineValue<Model>): void {
    if (this.count(row)) this.take(check(), row);
  }

  take({ facts, fault }: CheckedLineValue<Model>, row: number): void {
    if (fault !== null) this.#bad(row, fault);
    else this.#good(facts, row);
  }

  tooLong(row: number): void {
    if (!this.count(row)) return;
    const advice = `The line is longer than ${BATCH_LINE_BYTES_MAX} bytes; make it shorter.`;
    this.#bad(row, { reason: 'line_too_long', field: null, advice });
  }

  /** False if the file already has as many rows as it may have. */
  count(row: number): boolean {
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

  #good(facts: LineValueFacts<Model>, row: number): void {
    // The custom id counts as used even if the row fails one of the other checks.
    const fault = this.#checkName(facts.customId, row) ?? this.#checkFirst(facts) ?? this.#checkInputs(facts);
    if (fault !== null) this.#bad(row, fault);
    else this.#options.onRow?.(facts, row);
  }

  #checkName(customId: string, row: number): RowFault | null {
    const name = customId.length <= NAME_CHARACTERS_MAX ? customId : `long:${this.#options.digest(customId)}`;
    const other = this.#rowOfName.get(name);
    if (other === undefined) {
      this.#rowOfName.set(name, row);
      return null;
    }
    const advice = `Row ${other} has the same custom_id; give each row its own.`;
    return { reason: 'duplicate_custom_id', field: 'custom_id', advice };
  }

  #checkFirst(facts: LineValueFacts<Model>): RowFault | null {
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

  #checkInputs(facts: LineValueFacts<Model>): RowFault | null {
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
