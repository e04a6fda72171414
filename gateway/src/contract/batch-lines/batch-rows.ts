/** The rules that concern all rows of a batch file together: counts, names, one model and one endpoint. Pure. */
import type { BatchKind, BatchUrl } from '../paid-endpoints.ts';
import { BATCH_LINE_BYTES_MAX, BATCH_ROWS_MAX, EMBEDDING_INPUTS_MAX } from './batch-limits.ts';
import {
  type BatchLineModel,
  type CheckedLineValue,
  FAULTS_MAX,
  type FaultyLine,
  type LineValueFacts,
} from './check-line-value.ts';
import { type BadRow, type RowFault, rowFault } from './row-fault.ts';

export interface BatchRowsReport<Model extends BatchLineModel> {
  readonly rows: number;
  /** Of the first valid row; null when there is none. */
  readonly model: Model | null;
  readonly url: BatchUrl | null;
  readonly endpoint: BatchKind | null;
  readonly embeddingInputs: number;
  /** All faults of the first `badRowsMax` bad rows, in order. A row may have several. */
  readonly badRows: readonly BadRow[];
  /** How many rows have a fault. */
  readonly badRowCount: number;
  /** How many of them are in `badRows`. */
  readonly listedRowCount: number;
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
  #listedRowCount = 0;
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
      this.#bad(1, [rowFault(['empty_file', null], 'no_rows')]);
    }
    return {
      rows: this.#rows,
      model: this.#first?.model ?? null,
      url: this.#first?.url ?? null,
      endpoint: this.#first?.endpoint ?? null,
      embeddingInputs: this.#embeddingInputs,
      badRows: this.#badRows,
      badRowCount: this.#badRowCount,
      listedRowCount: this.#listedRowCount,
    };
  }

  /** Adds a row if there is room for it. */
  add(row: number, check: () => CheckedLineValue<Model>): void {
    if (this.count(row)) this.take(check(), row);
  }

  /** The custom id counts as used even if the row fails one of the other checks. */
  take(checked: CheckedLineValue<Model>, row: number): void {
    const { facts } = checked;
    const customId = facts === null ? checked.customId : facts.customId;
    const twice = customId === null ? null : this.#checkName(customId, row);
    const own = facts === null ? this.#allFaults(checked) : this.#checkValid(facts);
    const faults = twice === null ? own : [twice, ...own];
    if (faults.length > 0) this.#bad(row, faults);
    else if (facts !== null) this.#options.onRow?.(facts, row);
  }

  tooLong(row: number): void {
    if (!this.count(row)) return;
    this.#bad(row, [rowFault(['line_too_long', null], 'long_line', { max: BATCH_LINE_BYTES_MAX })]);
  }

  /** False if the file already has as many rows as it may have. */
  count(row: number): boolean {
    if (this.#full) return false;
    if (this.#rows < BATCH_ROWS_MAX) {
      this.#rows++;
      return true;
    }
    this.#full = true;
    this.#bad(row, [rowFault(['too_many_rows', null], 'too_many_rows', { max: BATCH_ROWS_MAX })]);
    return false;
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

  #checkValid(facts: LineValueFacts<Model>): RowFault[] {
    this.#first ??= { url: facts.url, endpoint: facts.endpoint, model: facts.model };
    return [...this.#compare(facts), ...this.#checkInputs(facts)];
  }

  /** A row with faults decides nothing for the rows after it. */
  #allFaults({ faults, url, model }: FaultyLine): RowFault[] {
    return [...faults, ...this.#compare({ url, model })].slice(0, FAULTS_MAX);
  }

  /** With the first valid row. */
  #compare({ url, model }: { url: BatchUrl | null; model: BatchLineModel | null }): RowFault[] {
    if (this.#first === null) return [];
    const first = this.#first;
    const faults: RowFault[] = [];
    if (url !== null && url !== first.url) {
      faults.push(rowFault(['mixed_endpoint', 'url'], 'other_url', { url: first.url }));
    }
    if (model !== null && model.code !== first.model.code) {
      faults.push(rowFault(['mixed_model', 'body.model'], 'other_model', { model: first.model.code }));
    }
    return faults;
  }

  #checkInputs(facts: LineValueFacts<Model>): RowFault[] {
    this.#embeddingInputs += facts.embeddingInputs;
    if (this.#embeddingInputs <= EMBEDDING_INPUTS_MAX) return [];
    const values = { count: this.#embeddingInputs, max: EMBEDDING_INPUTS_MAX };
    return [rowFault(['too_many_embedding_inputs', 'body.input'], 'too_many_inputs', values)];
  }

  #bad(row: number, faults: readonly RowFault[]): void {
    this.#badRowCount++;
    if (this.#listedRowCount >= this.#options.badRowsMax) return;
    this.#listedRowCount++;
    for (const fault of faults) this.#badRows.push({ row, ...fault });
  }
}
