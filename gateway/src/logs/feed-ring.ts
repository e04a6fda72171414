/** The newest entries of a feed, numbered. What no longer fits leaves at the old end. */
import type { LogTime } from '../kernel/log-time.ts';
import type { LogLine, LogSource } from './source.ts';

export type FeedEntry =
  | { readonly kind: 'line'; readonly line: LogLine; text: string | null; idText: string | null }
  | { readonly kind: 'gap'; readonly source: LogSource; readonly reason: string }
  | { readonly kind: 'pod'; readonly source: LogSource; readonly state: 'joined' | 'ended' };

export const RING_LINES_MAX = 20_000;
export const RING_BYTES_MAX = 8 * 1024 * 1024;
const ENTRY_BYTES = 200;
const LEFT_MAX = 4_096;

export class FeedRing {
  #entries: FeedEntry[] = [];
  /** Entries before this index left. */
  #left = 0;
  #firstSeq = 0;
  #bytes = 0;
  /** Of each source of which a line left (or was never here): the place after it. */
  readonly #leftPositions = new Map<string, string>();
  #leftNewest: LogTime = '';

  /** The number of the oldest entry, and of the one to come. */
  get firstSeq(): number {
    return this.#firstSeq;
  }

  get nextSeq(): number {
    return this.#firstSeq + this.#entries.length - this.#left;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(entry: FeedEntry): void {
    this.#entries.push(entry);
    this.#bytes += sizeOf(entry);
    while (this.#bytes > RING_BYTES_MAX || this.#entries.length - this.#left > RING_LINES_MAX) this.#drop();
  }

  /** Older lines of a source exist that were never here; the newest of them ends here and is this old. */
  noteOlder(source: string, position: string, before: LogTime): void {
    this.#leftPositions.set(source, position);
    if (before > this.#leftNewest) this.#leftNewest = before;
  }

  at(seq: number): FeedEntry | undefined {
    return seq < this.#firstSeq ? undefined : this.#entries[this.#left + seq - this.#firstSeq];
  }

  /** The place after the last line that left; undefined where every line of the source is here. */
  leftPosition(source: string): string | undefined {
    return this.#leftPositions.get(source);
  }

  /** No line that left is newer than this. */
  get leftNewest(): LogTime {
    return this.#leftNewest;
  }

  forget(source: string): void {
    this.#leftPositions.delete(source);
  }

  #drop(): void {
    const entry = this.#entries[this.#left] as FeedEntry;
    this.#bytes -= sizeOf(entry);
    this.#left++;
    this.#firstSeq++;
    if (entry.kind === 'line') {
      this.#leftPositions.set(entry.line.source.id, entry.line.position);
      if (entry.line.time > this.#leftNewest) this.#leftNewest = entry.line.time;
    }
    if (this.#left < LEFT_MAX) return;
    this.#entries = this.#entries.slice(this.#left);
    this.#left = 0;
  }
}

function sizeOf(entry: FeedEntry): number {
  return entry.kind === 'line' ? entry.line.text.length + ENTRY_BYTES : ENTRY_BYTES;
}

export function lineEntry(line: LogLine): FeedEntry {
  return { kind: 'line', line, text: null, idText: null };
}
