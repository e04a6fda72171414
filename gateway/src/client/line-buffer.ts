/** The newest lines of a stream, for a viewer. When it is full, the oldest lines are evicted. */
import type { LogLineBody } from '../contract/logs.ts';

export const BUFFER_LINES_MAX = 1_000;

export class LineBuffer {
  #lines: LogLineBody[] = [];
  #evicted = 0;

  get lines(): readonly LogLineBody[] {
    return this.#lines;
  }

  /** Lines evicted since the buffer was last cleared. */
  get evicted(): number {
    return this.#evicted;
  }

  add(lines: readonly LogLineBody[]): void {
    this.#lines = [...this.#lines, ...lines];
    const over = this.#lines.length - BUFFER_LINES_MAX;
    if (over <= 0) return;
    this.#evicted += over;
    this.#lines = this.#lines.slice(over);
  }

  /** Empties the view only; the position in the stream is kept elsewhere. */
  clear(): void {
    this.#lines = [];
    this.#evicted = 0;
  }
}
