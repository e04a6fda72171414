import { MIB } from '../../kernel/bytes.ts';

/** The progress of a transfer, as one line on a terminal; on standard error, so that output can be piped. */
const BETWEEN_MS = 100;

export class ByteProgress {
  readonly #what: string;
  readonly #total: number;
  #bytes = 0;
  #shownAt = 0;

  constructor(what: string, total: number) {
    this.#what = what;
    this.#total = total;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
    const now = performance.now();
    if (!process.stderr.isTTY || now - this.#shownAt < BETWEEN_MS) return;
    this.#shownAt = now;
    const share = this.#total === 0 ? 100 : Math.floor((this.#bytes / this.#total) * 100);
    const mib = (bytes: number): string => (bytes / MIB).toFixed(1);
    process.stderr.write(`\r\x1b[K${this.#what} ${share} % (${mib(this.#bytes)} of ${mib(this.#total)} MiB)`);
  }

  /** Clears the line. */
  end(): void {
    if (process.stderr.isTTY && this.#shownAt > 0) process.stderr.write('\r\x1b[K');
  }
}
