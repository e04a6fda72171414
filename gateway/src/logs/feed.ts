/**
 * One read of a project for all who follow it. It reads every source once, merges, and keeps the newest
 * entries; followers go through them at their own pace. Whoever falls behind what is kept reads for
 * itself (read-history.ts) and comes back. Reading stops while even the fastest follower is far behind.
 */
import type { Clock } from '../kernel/time.ts';
import { type FeedEntry, FeedRing, RING_LINES_MAX } from './feed-ring.ts';
import { Merger, type Now } from './merge.ts';
import type { LogBatch, LogLine, LogSource, LogStore } from './source.ts';
import { Wake } from './wake.ts';

/** Read before the first follower is served, so that usual tails need no read of their own. */
const FIRST_LINES = 1_000;
const FIRST_BYTES_MAX = 1024 * 1024;
/** Lines of one source that wait to be merged. */
const QUEUE_LINES_MAX = 4_000;
/** How far ahead of its fastest follower a feed reads. */
const AHEAD_MAX = RING_LINES_MAX / 2;
/** Lines merged before everybody else has a turn. */
const TURN_LINES_MAX = 2_000;
const TICK_MS = 50;
const NOTHING: LogBatch = { lines: [], gap: null };
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
  readonly #options: FeedOptions;
  readonly #merger = new Merger();
  readonly #sources = new Map<string, LogSource>();
  readonly #ends = new Map<string, string | null>();
  /** How far each source was read, merged or not. */
  readonly #read = new Map<string, string>();
  readonly #reading = new Set<string>();
  readonly #followers = new Set<FeedFollower>();
  readonly #stop = new AbortController();
  readonly #wake: Wake;
  readonly #taken: Set<() => void> = new Set();
  /** Even the fastest follower is far behind. */
  #paused = false;
  #ready: Promise<void> | null = null;
  #running: Promise<void>[] = [];

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#wake = new Wake(options.clock);
  }

  /** Resolves when the newest lines of what was there are in the ring. */
  start(): Promise<void> {
    this.#ready ??= new Promise((resolve, reject) => {
      this.#running.push(this.#discover(resolve).catch(reject), this.#merge());
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
    return this.#sources;
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

  async #discover(ready: () => void): Promise<void> {
    const { store, project, clock } = this.#options;
    const { signal } = this.#stop;
    let first = true;
    while (!signal.aborted) {
      try {
        for await (const sources of store.discover(project, signal)) {
          if (first) await this.#readFirst(sources);
          else for (const source of sources) this.#add(source);
          this.#prune(sources);
          if (first) ready();
          first = false;
        }
      } catch (error) {
        if (signal.aborted) return;
        if (first) throw error;
        this.#options.onTrouble(error);
      }
      // Discovery never ends by itself; where it broke it begins anew.
      await new Wake(clock).wait(AGAIN_MS, signal);
    }
    ready();
  }

  /** The newest lines of all sources, each of which is read on from there without a break. */
  async #readFirst(sources: readonly LogSource[]): Promise<void> {
    const { store } = this.#options;
    const from = { kind: 'tail', lines: FIRST_LINES, bytesMax: FIRST_BYTES_MAX } as const;
    const opened = sources.map((source) => {
      const batches = store.read(source, { from, follow: !source.ended }, this.#stop.signal);
      return { source, batches: batches[Symbol.asyncIterator]() };
    });
    const merger = new Merger();
    await Promise.all(
      opened.map(async ({ source, batches }) => {
        const { lines, before } = ((await batches.next()).value ?? NOTHING) as LogBatch;
        merger.add(source.id, { behind: false, now: this.#now() });
        merger.push(source.id, lines, this.#now());
        this.#ends.set(source.id, lines.at(-1)?.position ?? null);
        if (before != null) this.ring.noteOlder(source.id, before, lines[0]?.time ?? '');
      }),
    );
    const lines = merger.take(this.#now(), { all: true });
    for (const { source, time, position } of lines.slice(0, -FIRST_LINES))
      this.ring.noteOlder(source.id, position, time);
    for (const line of lines.slice(-FIRST_LINES)) this.#append(lineEntry(line));
    for (const { source, batches } of opened) {
      this.#sources.set(source.id, source);
      if (source.ended) await batches.return?.();
      else this.#follow(source, batches);
    }
  }

  #add(source: LogSource): void {
    const known = this.#sources.get(source.id);
    this.#sources.set(source.id, source);
    if (known !== undefined) return;
    this.#ends.set(source.id, null);
    this.#append({ kind: 'pod', source, state: 'joined' });
    this.#follow(source, null);
  }

  /** What is neither there any more nor read is forgotten. */
  #prune(sources: readonly LogSource[]): void {
    const there = new Set(sources.map(({ id }) => id));
    for (const id of this.#sources.keys()) {
      if (there.has(id) || this.#reading.has(id)) continue;
      this.#sources.delete(id);
      this.#ends.delete(id);
      this.#read.delete(id);
      this.ring.forget(id);
    }
  }

  /** A source that is new is read from its first line. */
  #follow(source: LogSource, opened: AsyncIterator<LogBatch> | null): void {
    if (this.#reading.has(source.id)) return;
    this.#reading.add(source.id);
    this.#merger.add(source.id, { behind: opened === null, now: this.#now() });
    const reading = this.#pump(source, opened).finally(() => {
      this.#running = this.#running.filter((other) => other !== reading);
    });
    this.#running.push(reading);
  }

  async #pump(source: LogSource, opened: AsyncIterator<LogBatch> | null): Promise<void> {
    const { signal } = this.#stop;
    for (let batches = opened; !signal.aborted; batches = null) {
      try {
        await this.#pass(source, batches ?? this.#openAgain(source));
        break;
      } catch (error) {
        if (signal.aborted) break;
        this.#options.onTrouble(error);
        await new Wake(this.#options.clock).wait(AGAIN_MS, signal);
      }
    }
    await opened?.return?.();
    this.#reading.delete(source.id);
    while (this.#merger.waitingOf(source.id) > 0 && !signal.aborted) await this.#turn();
    this.#merger.end(source.id);
    if (signal.aborted) return;
    this.#sources.set(source.id, { ...source, ended: true });
    this.#append({ kind: 'pod', source, state: 'ended' });
    this.#wake.ring();
  }

  #openAgain(source: LogSource): AsyncIterator<LogBatch> {
    const position = this.#read.get(source.id) ?? this.#ends.get(source.id) ?? null;
    const from = position === null ? ({ kind: 'start' } as const) : ({ kind: 'after', position } as const);
    return this.#options.store
      .read(source, { from, follow: true }, this.#stop.signal)
      [Symbol.asyncIterator]();
  }

  /** To the end of the source. */
  async #pass(source: LogSource, batches: AsyncIterator<LogBatch>): Promise<void> {
    const { signal } = this.#stop;
    try {
      for (let next = await batches.next(); next.done !== true; next = await batches.next()) {
        const { gap, lines } = next.value;
        if (gap !== null) this.#append({ kind: 'gap', source, reason: gap });
        this.#merger.push(source.id, lines, this.#now());
        this.#merger.caughtUp(source.id);
        const last = lines.at(-1);
        if (last !== undefined) this.#read.set(source.id, last.position);
        this.#wake.ring();
        while (this.#merger.waitingOf(source.id) > QUEUE_LINES_MAX && !signal.aborted) await this.#turn();
      }
    } finally {
      await batches.return?.();
    }
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
    return fastest >= 0 && this.ring.nextSeq - fastest > AHEAD_MAX;
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
    const { clock } = this.#options;
    return { elapsedMs: clock.elapsedMs(), instant: clock.now() };
  }
}

export interface FeedOptions {
  readonly project: string;
  readonly store: LogStore;
  readonly clock: Clock;
  readonly onTrouble: (error: unknown) => void;
}

function lineEntry(line: LogLine): FeedEntry {
  return { kind: 'line', line, text: null, idText: null };
}
