/** The newest entries of a feed, numbered. When the buffer is full the oldest entries are evicted. */
import type { LogTime } from '../kernel/log-time.ts';
import type { LogLine, LogSource } from './source.ts';

export type FeedEntry =
  | { readonly kind: 'line'; readonly line: LogLine; text: string | null; idText: string | null }
  | { readonly kind: 'gap'; readonly source: LogSource; readonly reason: string }
  | { readonly kind: 'pod'; readonly source: LogSource; readonly state: 'joined' | 'ended' };

/** A place between two entries. */
export interface FeedPlace {
  /** The number of the next entry. */
  readonly seq: number;
  /** By source, the position before its next line; none: before its first. */
  readonly positions: ReadonlyMap<string, string>;
  /** By source, the number of its first entry, if that is not the next one: the entries before it are skipped. */
  readonly starts: ReadonlyMap<string, number>;
}

export const FEED_LINES_MAX = 20_000;
export const FEED_BYTES_MAX = 8 * 1024 * 1024;
const ENTRY_BYTES = 200;
/** Evicted entries that may stay in the array before it is copied. */
const EVICTED_MAX = 4_096;

export class FeedBuffer {
  #entries: FeedEntry[] = [];
  /** Entries before this index are evicted. */
  #evicted = 0;
  #firstSeq = 0;
  #bytes = 0;
  /** By source, the position after its newest line that is not in the buffer. */
  readonly #evictedPositions = new Map<string, string>();
  /** By source, the position after its newest line. */
  readonly #ends = new Map<string, string>();
  #evictedNewest: LogTime = '';

  /** The number of the oldest entry. */
  get firstSeq(): number {
    return this.#firstSeq;
  }

  /** The number that the next entry will have. */
  get nextSeq(): number {
    return this.#firstSeq + this.#entries.length - this.#evicted;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(entry: FeedEntry): void {
    this.#entries.push(entry);
    if (entry.kind === 'line') this.#ends.set(entry.line.source.id, entry.line.position);
    this.#bytes += sizeOf(entry);
    while (this.#bytes > FEED_BYTES_MAX || this.#entries.length - this.#evicted > FEED_LINES_MAX)
      this.#evict();
  }

  /** A line that is not in the buffer: its source has lines up to this one that are not. */
  noteOlderLine({ source, position, time }: LogLine): void {
    this.#evictedPositions.set(source.id, position);
    if (!this.#ends.has(source.id)) this.#ends.set(source.id, position);
    if (time > this.#evictedNewest) this.#evictedNewest = time;
  }

  at(seq: number): FeedEntry | undefined {
    return seq < this.#firstSeq ? undefined : this.#entries[this.#evicted + seq - this.#firstSeq];
  }

  /** The position before the first line of a source in the buffer; undefined: all of its lines are here. */
  evictedPosition(source: string): string | undefined {
    return this.#evictedPositions.get(source);
  }

  /** No evicted line is newer than this. */
  get evictedNewest(): LogTime {
    return this.#evictedNewest;
  }

  /** The position after the newest line of a source; undefined: it has none yet. */
  endOf(source: string): string | undefined {
    return this.#ends.get(source);
  }

  /** Behind the last entry. */
  end(): FeedPlace {
    return { seq: this.nextSeq, positions: new Map(this.#ends), starts: new Map() };
  }

  *lines(): Generator<{ seq: number; line: LogLine }> {
    for (let seq = this.firstSeq; seq < this.nextSeq; seq++) {
      const entry = this.at(seq);
      if (entry?.kind === 'line') yield { seq, line: entry.line };
    }
  }

  forgetSource(source: string): void {
    this.#evictedPositions.delete(source);
    this.#ends.delete(source);
  }

  #evict(): void {
    const entry = this.#entries[this.#evicted] as FeedEntry;
    this.#bytes -= sizeOf(entry);
    this.#evicted++;
    this.#firstSeq++;
    if (entry.kind === 'line') this.noteOlderLine(entry.line);
    if (this.#evicted < EVICTED_MAX) return;
    this.#entries = this.#entries.slice(this.#evicted);
    this.#evicted = 0;
  }
}

function sizeOf(entry: FeedEntry): number {
  return entry.kind === 'line' ? entry.line.text.length + ENTRY_BYTES : ENTRY_BYTES;
}

export function lineEntry(line: LogLine): FeedEntry {
  return { kind: 'line', line, text: null, idText: null };
}
