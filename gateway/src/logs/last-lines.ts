/**
 * Tails: the last lines of a source, or of many together, within limits. Sources start somewhere before their last
 * lines; what is kept of them, and the position before that, is decided here for all of them.
 */
import { Merger } from './merge.ts';
import type { LogBatch, LogLine } from './source.ts';

export interface TailLimit {
  readonly lines: number;
  /** Tails are held in memory. One line is always kept. */
  readonly bytesMax: number;
}

export interface Tail {
  readonly lines: readonly LogLine[];
  /** By source, the newest line that is not in the tail; none: the tail starts at the first line of the source. */
  readonly before: ReadonlyMap<string, LogLine>;
}

/** Reads one source to the end of its existing lines. A followed read stays open. */
export async function readTail(
  batches: AsyncIterator<LogBatch>,
  limit: TailLimit,
): Promise<Tail & { readonly gaps: readonly string[] }> {
  const last = new LastLines(limit);
  const gaps: string[] = [];
  for (let next = await batches.next(); next.done !== true; next = await batches.next()) {
    const { lines, gap, before, atEnd } = next.value;
    if (gap !== null) gaps.push(gap);
    if (before !== undefined) last.drop(before);
    last.push(lines);
    if (atEnd) break;
  }
  return { ...last.take(), gaps };
}

/** The last lines of all of these, merged by time. */
export function mergeTails(tails: readonly Tail[], lines: number): Tail {
  const merger = new Merger();
  const last = new LastLines({ lines, bytesMax: Number.POSITIVE_INFINITY });
  const now = { elapsedMs: 0, instant: 0 };
  for (const [i, tail] of tails.entries()) {
    merger.add(`${i}`, { behind: false, now });
    merger.push(`${i}`, tail.lines, now);
    for (const line of tail.before.values()) last.drop(line);
  }
  last.push(merger.take(now, { all: true }));
  return last.take();
}

class LastLines {
  readonly #limit: TailLimit;
  readonly #before = new Map<string, LogLine>();
  #lines: LogLine[] = [];
  #bytes = 0;

  constructor(limit: TailLimit) {
    this.#limit = limit;
  }

  drop(line: LogLine): void {
    this.#before.set(line.source.id, line);
  }

  push(lines: readonly LogLine[]): void {
    for (const line of lines) {
      this.#lines.push(line);
      this.#bytes += line.text.length;
    }
    if (this.#lines.length > 2 * this.#limit.lines || this.#bytes > 2 * this.#limit.bytesMax) this.#trim();
  }

  take(): Tail {
    this.#trim();
    return { lines: this.#lines, before: this.#before };
  }

  #trim(): void {
    const { lines, bytesMax } = this.#limit;
    let first = this.#lines.length;
    for (let bytes = 0; first > 0 && this.#lines.length - first < lines; first--) {
      bytes += (this.#lines[first - 1] as LogLine).text.length;
      if (bytes > bytesMax && first < this.#lines.length) break;
    }
    for (const line of this.#lines.slice(0, first)) this.drop(line);
    this.#lines = this.#lines.slice(first);
    this.#bytes = this.#lines.reduce((sum, { text }) => sum + text.length, 0);
  }
}
