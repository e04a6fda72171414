/**
 * The newest lines of a stream with the events between them, for a viewer. When it is full, the oldest lines
 * are evicted.
 */
import type { LogEventBody, LogLineBody } from '../contract/logs.ts';

export const BUFFER_LINES_MAX = 1_000;
/** A project whose pods only come and go has events and no lines. */
const ENTRIES_MAX = 2 * BUFFER_LINES_MAX;

/** `place` counts all entries since the viewer was opened, so it stays the same when others are evicted. */
export type LogEntry =
  | { readonly kind: 'line'; readonly place: number; readonly line: LogLineBody }
  | { readonly kind: 'event'; readonly place: number; readonly event: LogEventBody };

export class LineBuffer {
  readonly #entries: LogEntry[] = [];
  #lines = 0;
  #evicted = 0;
  #nextPlace = 0;

  /** Oldest first. The same array each time. */
  get entries(): readonly LogEntry[] {
    return this.#entries;
  }

  get lineCount(): number {
    return this.#lines;
  }

  /** Lines evicted since the buffer was last cleared. */
  get evicted(): number {
    return this.#evicted;
  }

  /** The place of the next entry. */
  get nextPlace(): number {
    return this.#nextPlace;
  }

  /** The number of lines that can be added without evicting an entry from `keepFrom` on. */
  room(keepFrom: number): number {
    let room = BUFFER_LINES_MAX - this.#lines;
    for (const { kind, place } of this.#entries) {
      if (place >= keepFrom) break;
      if (kind === 'line') room++;
    }
    return Math.min(room, BUFFER_LINES_MAX);
  }

  add(lines: readonly LogLineBody[]): void {
    for (const line of lines) this.#entries.push({ kind: 'line', place: this.#nextPlace++, line });
    this.#lines += lines.length;
    this.#evict();
  }

  addEvent(event: LogEventBody): void {
    this.#entries.push({ kind: 'event', place: this.#nextPlace++, event });
    this.#evict();
  }

  /** Empties the view only; the position in the stream is kept elsewhere. */
  clear(): void {
    this.#entries.length = 0;
    this.#lines = 0;
    this.#evicted = 0;
  }

  #evict(): void {
    let count = 0;
    while (this.#lines > BUFFER_LINES_MAX || this.#entries.length - count > ENTRIES_MAX) {
      if (this.#entries[count]?.kind === 'line') {
        this.#lines--;
        this.#evicted++;
      }
      count++;
    }
    if (count > 0) this.#entries.splice(0, count);
  }
}
