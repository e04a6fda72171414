/** The rules that concern all rows of a batch file together: counts, names, one model and one endpoint. Pure. */
import {
  BATCH_LINE_BYTES_MAX,
  BATCH_ROWS_MAX,
  type BatchEndpoint,
  type BatchUrl,
  EMBEDDING_INPUTS_MAX,
} from './batch-limits.ts';
import type { BatchLineModel, CheckedLineValue, LineValueFacts } from './check-line-value.ts';
import { type BadRow, type RowFault, rowFault } from './row-fault.ts';

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
      this.#bad(1, rowFault(['empty_file', null], 'no_rows'));
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
    this.#bad(row, rowFault(['line_too_long', null], 'long_line', { max: BATCH_LINE_BYTES_MAX }));
  }

  /** False if the file already has as many rows as it may have. */
  count(row: number): boolean {
    if (this.#full) return false;
    if (this.#rows < BATCH_ROWS_MAX) {
      this.#rows++;
      return true;
    }
    this.#full = true;
    this.#bad(row, rowFault(['too_many_rows', null], 'too_many_rows', { max: BATCH_ROWS_MAX }));
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
    return rowFault(['duplicate_custom_id', 'custom_id'], 'used_custom_id', { row: other });
  }

  #checkFirst(facts: LineValueFacts<Model>): RowFault | null {
    this.#first ??= { url: facts.url, endpoint: facts.endpoint, model: facts.model };
    const first = this.#first;
    if (facts.url !== first.url) {
      return rowFault(['mixed_endpoint', 'url'], 'other_url', { url: first.url });
    }
    if (facts.model.code !== first.model.code) {
      return rowFault(['mixed_model', 'body.model'], 'other_model', { model: first.model.code });
    }
    return null;
  }

  #checkInputs(facts: LineValueFacts<Model>): RowFault | null {
    this.#embeddingInputs += facts.embeddingInputs;
    if (this.#embeddingInputs <= EMBEDDING_INPUTS_MAX) return null;
    const values = { count: this.#embeddingInputs, max: EMBEDDING_INPUTS_MAX };
    return rowFault(['too_many_embedding_inputs', 'body.input'], 'too_many_inputs', values);
  }

  #bad(row: number, fault: RowFault): void {
    this.#badRowCount++;
    if (this.#badRows.length < this.#options.badRowsMax) this.#badRows.push({ row, ...fault });
  }
}
