/** The newest lines of a stream, as a viewer shows them. What no longer fits leaves at the top. */
import type { LogLineBody } from '../contract/logs.ts';

export const BUFFER_LINES_MAX = 1_000;

export class LineBuffer {
  #lines: LogLineBody[] = [];
  #left = 0;

  get lines(): readonly LogLineBody[] {
    return this.#lines;
  }

  /** Lines that left since the buffer was last cleared. */
  get left(): number {
    return this.#left;
  }

  add(lines: readonly LogLineBody[]): void {
    this.#lines = [...this.#lines, ...lines];
    const over = this.#lines.length - BUFFER_LINES_MAX;
    if (over <= 0) return;
    this.#left += over;
    this.#lines = this.#lines.slice(over);
  }

  /** Empties the view only: where the stream is, is known elsewhere. */
  clear(): void {
    this.#lines = [];
    this.#left = 0;
  }
}
