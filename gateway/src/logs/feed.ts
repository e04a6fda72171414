/**
 * Reads the sources of a project once for all of its followers, merges the lines and keeps the newest ones.
 * Each follower moves through them at its own speed. One that falls behind reads the missed lines from the
 * store (stream-logs.ts). The feed pauses while even the fastest follower is far behind.
 */
import type { Clock } from '../kernel/time.ts';
import { ChangeSignal } from './change-signal.ts';
import { FEED_BYTES_MAX, FEED_LINES_MAX, FeedBuffer, type FeedEntry, lineEntry } from './feed-buffer.ts';
import { type FeedOptions, FeedSources } from './feed-sources.ts';
import { Merger, type Now } from './merge.ts';
import type { LogSource } from './source.ts';

/** How far ahead of its fastest follower a feed reads. */
const AHEAD_MAX = FEED_LINES_MAX / 2;
const AHEAD_BYTES_MAX = FEED_BYTES_MAX / 2;
/** Lines merged per event-loop turn, so that one busy project delays nobody else. */
const TURN_LINES_MAX = 2_000;
/** How often lines that wait to be merged are looked at. */
const MERGE_MS = 50;
const IDLE_MS = 1_000;

export interface FeedFollower {
  /** The next entry it will take. */
  readonly seq: number;
  readonly changed: ChangeSignal;
}

export class Feed {
  readonly buffer = new FeedBuffer();
  readonly #clock: Clock;
  readonly #merger = new Merger();
  readonly #sources: FeedSources;
  readonly #followers = new Set<FeedFollower>();
  readonly #stop = new AbortController();
  readonly #changed: ChangeSignal;
  readonly #mergeWaiters: Set<() => void> = new Set();
  /** Even the fastest follower is far behind. */
  #paused = false;
  #ready: Promise<void> | null = null;
  #running: Promise<void>[] = [];

  constructor(options: FeedOptions) {
    this.#clock = options.clock;
    this.#changed = new ChangeSignal(options.clock);
    const output = {
      buffer: this.buffer,
      merger: this.#merger,
      append: (entry: FeedEntry) => this.#append(entry),
      notify: () => this.#changed.notify(),
      merged: () => this.#merged(),
      now: () => this.#now(),
    };
    this.#sources = new FeedSources(options, output, this.#stop.signal);
  }

  /** Resolves when the newest lines of the existing sources are in the buffer. */
  start(): Promise<void> {
    this.#ready ??= new Promise((resolve, reject) => {
      this.#running = [this.#sources.run(resolve).catch(reject), this.#merge()];
    });
    return this.#ready;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#changed.notify();
    this.#resolveMerged();
    for (const follower of this.#followers) follower.changed.notify();
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

  join(follower: FeedFollower): void {
    this.#followers.add(follower);
    this.#changed.notify();
  }

  leave(follower: FeedFollower): void {
    this.#followers.delete(follower);
    this.#changed.notify();
  }

  /** A paused feed may be able to continue. */
  followerMoved(): void {
    if (this.#paused) this.#changed.notify();
  }

  async #merge(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      this.#paused = this.#tooFarAhead();
      const lines = this.#paused ? [] : this.#merger.take(this.#now(), { max: TURN_LINES_MAX });
      for (const line of lines) this.#append(lineEntry(line));
      if (lines.length === 0) {
        await this.#changed.wait(this.#merger.waiting > 0 ? MERGE_MS : IDLE_MS, signal);
        continue;
      }
      this.#resolveMerged();
      for (const follower of this.#followers) follower.changed.notify();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #tooFarAhead(): boolean {
    let fastest = -1;
    for (const { seq } of this.#followers) fastest = Math.max(fastest, seq);
    if (fastest < 0) return false;
    const ahead = this.buffer.nextSeq - fastest;
    const share = ahead / Math.max(1, this.buffer.nextSeq - this.buffer.firstSeq);
    return ahead > AHEAD_MAX || share * this.buffer.bytes > AHEAD_BYTES_MAX;
  }

  #append(entry: FeedEntry): void {
    this.buffer.add(entry);
    if (entry.kind !== 'line') for (const follower of this.#followers) follower.changed.notify();
  }

  /** Resolves when lines were merged, or the feed stops. */
  #merged(): Promise<void> {
    return new Promise((resolve) => {
      this.#mergeWaiters.add(resolve);
    });
  }

  #resolveMerged(): void {
    for (const resolve of this.#mergeWaiters) resolve();
    this.#mergeWaiters.clear();
  }

  #now(): Now {
    return { elapsedMs: this.#clock.elapsedMs(), instant: this.#clock.now() };
  }
}
