/**
 * Finding one's place again in a log that can only be asked for "everything since a whole second". The
 * lines of such a log have no numbers: many share a time, texts repeat, and two streams are written a
 * little out of order, so neither the last time nor a count tells where one was.
 *
 * A trail remembers the lines received whose time is at or after S, the second before the one of the
 * newest line. What comes after asking again from S is compared with that block: where it stands as one
 * run, everything up to its end is known and the rest is new.
 */
import { type LogTime, secondOf } from './log-time.ts';

/** Where a trail ends: enough to find the place again without the trail itself. */
export interface HistoryPosition {
  /** S, in whole seconds since the epoch. */
  readonly since: number;
  /** The lines at or after S, and a digest of them in their order. */
  readonly count: number;
  readonly sumA: number;
  readonly sumB: number;
  /** The last of those lines, and the newest time. */
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
/** Of a log this busy only the end of the block is remembered line by line. */
const HASHES_MAX = 65_536;

export class PositionHistory {
  #second = Number.NEGATIVE_INFINITY;
  /** Lines at or after S, and at or after the second of the newest line, which is the next S. */
  #lower: Sum = { count: 0, a: 0, b: 0 };
  #upper: Sum = { count: 0, a: 0, b: 0 };
  #newest: LogTime = '';
  #lastHash = 0;
  #lines: Array<{ readonly time: LogTime; readonly hash: number }> = [];

  /** `hash` is of the text and the time together. */
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
  place(): HistoryPosition | null {
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

  /** The lines of the block, oldest first; of a very busy log its end. */
  block(): ReadonlyArray<{ readonly time: LogTime; readonly hash: number }> {
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
/** Both halves take part in each sum, in another way. */
const high = (hash: number): number => Math.imul((hash / 4294967296) | 0, 0x9e3779b1) ^ (hash | 0);

export interface Settled<Line> {
  /** What is new, in order. */
  readonly lines: readonly Line[];
  /** Lines may be missing before these. */
  readonly gap: boolean;
}

/** Reads what comes after asking again from S, and tells what of it is new. */
export class ReplayMatcher<Line> {
  readonly #place: HistoryPosition;
  readonly #block: ReadonlyArray<{ readonly time: LogTime; readonly hash: number }> | null;
  readonly #held: Array<{ readonly line: Line; readonly time: LogTime; readonly hash: number }> = [];
  /** Digests of the first n lines at or after S. */
  readonly #sumsA: number[] = [0];
  readonly #sumsB: number[] = [0];
  readonly #powerA: number;
  readonly #powerB: number;
  #found: boolean;

  /** With the block itself a place is also found where a part of it is gone. */
  constructor(place: HistoryPosition, block: ReadonlyArray<{ time: LogTime; hash: number }> | null) {
    this.#place = place;
    this.#block = block;
    this.#powerA = power(BASE_A, place.count);
    this.#powerB = power(BASE_B, place.count);
    this.#found = place.count === 0;
  }

  /** True once the place is found: what was pushed so far is known, what comes next is new. */
  get found(): boolean {
    return this.#found;
  }

  /** Once the place is found: the lines before it, from S on. */
  get known(): ReadonlyArray<{ readonly time: LogTime; readonly hash: number }> {
    return this.#held;
  }

  /** Lines that wait for the place to be found. */
  get held(): number {
    return this.#held.length;
  }

  /** What is older than S was known before, where more was asked for than from S on. */
  push(line: Line, time: LogTime, hash: number): void {
    if (secondOf(time) < this.#place.since) return;
    this.#held.push({ line, time, hash });
    const n = this.#sumsA.length;
    this.#sumsA.push((Math.imul(this.#sumsA[n - 1] as number, BASE_A) + low(hash)) | 0);
    this.#sumsB.push((Math.imul(this.#sumsB[n - 1] as number, BASE_B) + high(hash)) | 0);
    const from = n - this.#place.count;
    if (from < 0 || hash !== this.#place.lastHash) return;
    const a = ((this.#sumsA[n] as number) - Math.imul(this.#sumsA[from] as number, this.#powerA)) | 0;
    const b = ((this.#sumsB[n] as number) - Math.imul(this.#sumsB[from] as number, this.#powerB)) | 0;
    this.#found = a === this.#place.sumA && b === this.#place.sumB;
  }

  /** The place was not found: says what of the held lines is new as far as can be known. */
  settle(): Settled<Line> {
    return this.#block === null ? this.#afterLast() : this.#without(this.#block);
  }

  /**
   * Takes known lines away one for one. Nothing is missing where the last known line is among them. Lines
   * before the first known one that are older than it lie before where the trail began.
   */
  #without(block: ReadonlyArray<{ readonly time: LogTime; readonly hash: number }>): Settled<Line> {
    const known = new Map<number, number>();
    for (const { hash } of block) known.set(hash, (known.get(hash) ?? 0) + 1);
    const first = this.#held.findIndex(({ hash }) => known.has(hash));
    const began = block[0]?.time ?? '';
    let lastSeen = false;
    const lines = this.#held.filter(({ hash, time }, at) => {
      const left = known.get(hash) ?? 0;
      if (left === 0) return at > first || time >= began;
      known.set(hash, left - 1);
      lastSeen ||= hash === this.#place.lastHash;
      return false;
    });
    return { lines: lines.map(({ line }) => line), gap: !lastSeen };
  }

  #afterLast(): Settled<Line> {
    const at = this.#held.findIndex(({ hash }) => hash === this.#place.lastHash);
    const lines =
      at >= 0 ? this.#held.slice(at + 1) : this.#held.filter(({ time }) => time > this.#place.newest);
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
