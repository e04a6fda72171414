/**
 * Resumes a log whose lines have no ids and that can only be requested from a whole second on. Many lines
 * share a timestamp, texts repeat, and stdout and stderr are written slightly out of order, so neither the
 * last timestamp nor a line count identifies a position.
 *
 * A history remembers the received lines from S on, where S is the second before the second of the newest
 * line. To resume, the log is requested from S, and the history is searched in the replay: if it is found as
 * one contiguous block, everything up to the end of the block is known and the rest is new.
 */
import { type LogTime, secondOf } from './log-time.ts';

/** The end of a history: enough to find the position again without the history itself. */
export interface HistoryPosition {
  /** S, in seconds since the epoch. */
  readonly since: number;
  /** The number of lines from S on, and two digests of them in order. */
  readonly count: number;
  readonly sumA: number;
  readonly sumB: number;
  /** The hash of the last of those lines, and the newest timestamp. */
  readonly lastHash: number;
  readonly newest: LogTime;
}

interface Sum {
  count: number;
  a: number;
  b: number;
}

const BASE_A = 0x01000193;
const BASE_B = 0x2c1b3c6d;
/** In a busier log only the newest lines are remembered one by one. */
const HASHES_MAX = 65_536;

export class PositionHistory {
  #second = Number.NEGATIVE_INFINITY;
  /** Digests of the lines from S on, and of the lines in the newest second, which becomes the next S. */
  #lower: Sum = { count: 0, a: 0, b: 0 };
  #upper: Sum = { count: 0, a: 0, b: 0 };
  #newest: LogTime = '';
  #lastHash = 0;
  #lines: Array<{ readonly time: LogTime; readonly hash: number }> = [];

  /** `hash` is the hash of the timestamp and the text together. */
  add(time: LogTime, hash: number): void {
    const second = secondOf(time);
    if (second > this.#second) {
      this.#lower = second === this.#second + 1 ? this.#upper : { count: 0, a: 0, b: 0 };
      this.#upper = { count: 0, a: 0, b: 0 };
      this.#second = second;
    }
    if (time > this.#newest) this.#newest = time;
    if (second >= this.#second - 1) {
      addTo(this.#lower, hash);
      this.#lastHash = hash;
    }
    if (second === this.#second) addTo(this.#upper, hash);
    this.#lines.push({ time, hash });
    if (this.#lines.length > 2 * HASHES_MAX) this.#forget();
  }

  /** Null before the first line. */
  position(): HistoryPosition | null {
    if (this.#newest === '') return null;
    const { count, a, b } = this.#lower;
    return {
      since: this.#second - 1,
      count,
      sumA: a,
      sumB: b,
      lastHash: this.#lastHash,
      newest: this.#newest,
    };
  }

  /** The lines from S on, oldest first; at most the newest HASHES_MAX. */
  recentLines(): ReadonlyArray<{ readonly time: LogTime; readonly hash: number }> {
    this.#forget();
    return this.#lines;
  }

  #forget(): void {
    const since = this.#second - 1;
    this.#lines = this.#lines.filter(({ time }) => secondOf(time) >= since).slice(-HASHES_MAX);
  }
}

function addTo(sum: Sum, hash: number): void {
  sum.count++;
  sum.a = (Math.imul(sum.a, BASE_A) + low(hash)) | 0;
  sum.b = (Math.imul(sum.b, BASE_B) + high(hash)) | 0;
}

const low = (hash: number): number => hash | 0;
/** Each digest uses both halves of the hash, in a different way. */
const high = (hash: number): number => Math.imul((hash / 4294967296) | 0, 0x9e3779b1) ^ (hash | 0);

export interface ReplayResult<Line> {
  /** The new lines, in order. */
  readonly lines: readonly Line[];
  /** Lines may be missing before these. */
  readonly gap: boolean;
}

/** Reads the replay from S on and tells which lines of it are new. */
export class ReplayMatcher<Line> {
  readonly #position: HistoryPosition;
  readonly #recentLines: ReadonlyArray<{ readonly time: LogTime; readonly hash: number }> | null;
  readonly #held: Array<{ readonly line: Line; readonly time: LogTime; readonly hash: number }> = [];
  /** Digests of the first n lines of the replay. */
  readonly #sumsA: number[] = [0];
  readonly #sumsB: number[] = [0];
  readonly #powerA: number;
  readonly #powerB: number;
  #found: boolean;

  /** With the recent lines the position is also found if some of them are gone from the log. */
  constructor(position: HistoryPosition, recentLines: ReadonlyArray<{ time: LogTime; hash: number }> | null) {
    this.#position = position;
    this.#recentLines = recentLines;
    this.#powerA = power(BASE_A, position.count);
    this.#powerB = power(BASE_B, position.count);
    this.#found = position.count === 0;
  }

  /** Once true, every line pushed so far is known and the next ones are new. */
  get found(): boolean {
    return this.#found;
  }

  /** After the position is found: the lines before it, from S on. */
  get known(): ReadonlyArray<{ readonly time: LogTime; readonly hash: number }> {
    return this.#held;
  }

  /** The number of lines pushed so far. */
  get held(): number {
    return this.#held.length;
  }

  /** Lines before S are ignored: the replay may start earlier. */
  push(line: Line, time: LogTime, hash: number): void {
    if (secondOf(time) < this.#position.since) return;
    this.#held.push({ line, time, hash });
    const n = this.#sumsA.length;
    this.#sumsA.push((Math.imul(this.#sumsA[n - 1] as number, BASE_A) + low(hash)) | 0);
    this.#sumsB.push((Math.imul(this.#sumsB[n - 1] as number, BASE_B) + high(hash)) | 0);
    const from = n - this.#position.count;
    if (from < 0 || hash !== this.#position.lastHash) return;
    const a = ((this.#sumsA[n] as number) - Math.imul(this.#sumsA[from] as number, this.#powerA)) | 0;
    const b = ((this.#sumsB[n] as number) - Math.imul(this.#sumsB[from] as number, this.#powerB)) | 0;
    this.#found = a === this.#position.sumA && b === this.#position.sumB;
  }

  /** The position was not found: decides as well as possible which of the pushed lines are new. */
  settle(): ReplayResult<Line> {
    return this.#recentLines === null ? this.#afterLast() : this.#without(this.#recentLines);
  }

  /**
   * Removes the known lines one by one. Nothing is missing if the last known line is among them. Lines
   * before the first known line that are older than it were written before the history started.
   */
  #without(
    recentLines: ReadonlyArray<{ readonly time: LogTime; readonly hash: number }>,
  ): ReplayResult<Line> {
    const known = new Map<number, number>();
    for (const { hash } of recentLines) known.set(hash, (known.get(hash) ?? 0) + 1);
    const first = this.#held.findIndex(({ hash }) => known.has(hash));
    const started = recentLines[0]?.time ?? '';
    let lastSeen = false;
    const lines = this.#held.filter(({ hash, time }, at) => {
      const left = known.get(hash) ?? 0;
      if (left === 0) return at > first || time >= started;
      known.set(hash, left - 1);
      lastSeen ||= hash === this.#position.lastHash;
      return false;
    });
    return { lines: lines.map(({ line }) => line), gap: !lastSeen };
  }

  #afterLast(): ReplayResult<Line> {
    const at = this.#held.findIndex(({ hash }) => hash === this.#position.lastHash);
    const lines =
      at >= 0 ? this.#held.slice(at + 1) : this.#held.filter(({ time }) => time > this.#position.newest);
    return { lines: lines.map(({ line }) => line), gap: at < 0 };
  }
}

function power(base: number, exponent: number): number {
  let result = 1;
  for (let [factor, rest] = [base, exponent]; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = Math.imul(result, factor);
    factor = Math.imul(factor, factor);
  }
  return result;
}
