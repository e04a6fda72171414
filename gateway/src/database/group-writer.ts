/**
 * Writes rows in groups: one write is in flight, what comes meanwhile forms the next. A quiet process
 * writes a row at once, a busy one shares each commit among all who wait.
 */
export class GroupWriter<Row> {
  readonly #write: (rows: readonly Row[]) => Promise<void>;
  readonly #rowsMax: number;
  #waiting: Array<{ row: Row; resolve(): void; reject(error: unknown): void }> = [];
  #working: Promise<void> | null = null;

  constructor(options: { write: (rows: readonly Row[]) => Promise<void>; rowsMax: number }) {
    this.#write = options.write;
    this.#rowsMax = options.rowsMax;
  }

  /** Resolves when the row is durable. */
  add(row: Row): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ row, resolve, reject });
      this.#working ??= this.#work();
    });
  }

  async flush(): Promise<void> {
    while (this.#working !== null) await this.#working;
  }

  async #work(): Promise<void> {
    // Let the rows that come in this same turn of the event loop come along.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, this.#rowsMax);
      try {
        await this.#write(group.map(({ row }) => row));
        for (const { resolve } of group) resolve();
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#working = null;
  }
}
