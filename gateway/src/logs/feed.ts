/**
 * One read of a project for all who follow it. It reads every source once, merges, and keeps the newest
 * entries; followers go through them at their own pace. Whoever falls behind what is kept reads for
 * itself (read-history.ts) and comes back. Reading stops while even the fastest follower is far behind.
 */
import type { Clock } from '../kernel/time.ts';
import { type FeedEntry, FeedRing, lineEntry, RING_BYTES_MAX, RING_LINES_MAX } from './feed-ring.ts';
import { type FeedOptions, FeedSources } from './feed-sources.ts';
import { Merger, type Now } from './merge.ts';
import type { LogSource } from './source.ts';
import { Wake } from './wake.ts';

/** How far ahead of its fastest follower a feed reads. */
const AHEAD_MAX = RING_LINES_MAX / 2;
const AHEAD_BYTES_MAX = RING_BYTES_MAX / 2;
/** Lines merged before everybody else has a turn. */
const TURN_LINES_MAX = 2_000;
const TICK_MS = 50;
const AGAIN_MS = 1_000;

export interface FeedMark {
  readonly seq: number;
  /** How far each source was read; null: not one line. */
  readonly ends: ReadonlyMap<string, string | null>;
}

export interface FeedFollower {
  /** The next entry it will take. */
  seq: number;
  readonly wake: Wake;
}

export class Feed {
  readonly ring = new FeedRing();
  readonly #clock: Clock;
  readonly #merger = new Merger();
  readonly #sources: FeedSources;
  readonly #ends = new Map<string, string | null>();
  readonly #followers = new Set<FeedFollower>();
  readonly #stop = new AbortController();
  readonly #wake: Wake;
  readonly #taken: Set<() => void> = new Set();
  /** Even the fastest follower is far behind. */
  #paused = false;
  #ready: Promise<void> | null = null;
  #running: Promise<void>[] = [];

  constructor(options: FeedOptions) {
    this.#clock = options.clock;
    this.#wake = new Wake(options.clock);
    const inside = {
      entries: this.ring,
      merger: this.#merger,
      ends: this.#ends,
      append: (entry: FeedEntry) => this.#append(entry),
      ring: () => this.#wake.ring(),
      turn: () => this.#turn(),
      now: () => this.#now(),
    };
    this.#sources = new FeedSources(options, inside, this.#stop.signal);
  }

  /** Resolves when the newest lines of what was there are in the ring. */
  start(): Promise<void> {
    this.#ready ??= new Promise((resolve, reject) => {
      this.#running = [this.#sources.run(resolve).catch(reject), this.#merge()];
    });
    return this.#ready;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#wake.ring();
    this.#letOn();
    for (const follower of this.#followers) follower.wake.ring();
    await Promise.all(this.#running);
  }

  get sources(): ReadonlyMap<string, LogSource> {
    return this.#sources.all;
  }

  get followers(): number {
    return this.#followers.size;
  }

  get stopped(): boolean {
    return this.#stop.signal.aborted;
  }

  mark(): FeedMark {
    return { seq: this.ring.nextSeq, ends: new Map(this.#ends) };
  }

  join(follower: FeedFollower): void {
    this.#followers.add(follower);
    this.#wake.ring();
  }

  leave(follower: FeedFollower): void {
    this.#followers.delete(follower);
    this.#wake.ring();
  }

  /** A follower went on: perhaps reading can too. */
  moved(): void {
    if (this.#paused) this.#wake.ring();
  }

  async #merge(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      this.#paused = this.#tooFarAhead();
      const lines = this.#paused ? [] : this.#merger.take(this.#now(), { max: TURN_LINES_MAX });
      for (const line of lines) this.#append(lineEntry(line));
      if (lines.length === 0) {
        await this.#wake.wait(this.#merger.waiting > 0 ? TICK_MS : AGAIN_MS, signal);
        continue;
      }
      this.#letOn();
      for (const follower of this.#followers) follower.wake.ring();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #tooFarAhead(): boolean {
    let fastest = -1;
    for (const { seq } of this.#followers) fastest = Math.max(fastest, seq);
    if (fastest < 0) return false;
    const ahead = this.ring.nextSeq - fastest;
    const share = ahead / Math.max(1, this.ring.nextSeq - this.ring.firstSeq);
    return ahead > AHEAD_MAX || share * this.ring.bytes > AHEAD_BYTES_MAX;
  }

  #append(entry: FeedEntry): void {
    this.ring.add(entry);
    if (entry.kind === 'line') this.#ends.set(entry.line.source.id, entry.line.position);
    else for (const follower of this.#followers) follower.wake.ring();
  }

  /** Until lines were merged. */
  #turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#taken.add(resolve);
    });
  }

  #letOn(): void {
    for (const resolve of this.#taken) resolve();
    this.#taken.clear();
  }

  #now(): Now {
    return { elapsedMs: this.#clock.elapsedMs(), instant: this.#clock.now() };
  }
}
