/** What a feed reads: the sources of its project, each by one reader that goes on until the source ends. */

import type { Clock } from '../kernel/time.ts';
import type { FeedEntry, FeedRing } from './feed-ring.ts';
import { lineEntry } from './feed-ring.ts';
import { Merger, type Now } from './merge.ts';
import { type LogBatch, type LogSource, type LogStore, sourceId } from './source.ts';
import { Wake } from './wake.ts';

export interface FeedOptions {
  readonly project: string;
  readonly store: LogStore;
  readonly clock: Clock;
  readonly onTrouble: (error: unknown) => void;
}

/** Where the lines go. */
export interface FeedInside {
  readonly entries: FeedRing;
  readonly merger: Merger;
  /** How far each source is in the ring; null: not one line. */
  readonly ends: Map<string, string | null>;
  append(entry: FeedEntry): void;
  /** There is something to merge. */
  ring(): void;
  /** Until lines were merged. */
  turn(): Promise<void>;
  now(): Now;
}

/** Read before the first follower is served, so that usual tails need no read of their own. */
const FIRST_LINES = 1_000;
const FIRST_BYTES_MAX = 1024 * 1024;
/** Lines of one source that wait to be merged. */
const QUEUE_LINES_MAX = 4_000;
const AGAIN_MS = 1_000;
const NOTHING: LogBatch = { lines: [], gap: null };

export class FeedSources {
  readonly #options: FeedOptions;
  readonly #feed: FeedInside;
  readonly #signal: AbortSignal;
  readonly #sources = new Map<string, LogSource>();
  /** How far each source was read, merged or not. */
  readonly #read = new Map<string, string>();
  /** The readers at work. */
  readonly #reading = new Map<string, Promise<void>>();

  constructor(options: FeedOptions, feed: FeedInside, signal: AbortSignal) {
    this.#options = options;
    this.#feed = feed;
    this.#signal = signal;
  }

  get all(): ReadonlyMap<string, LogSource> {
    return this.#sources;
  }

  /** Goes on until it is stopped; `ready` is told when the newest lines of what was there are in. */
  async run(ready: () => void): Promise<void> {
    const { store, project, clock } = this.#options;
    const signal = this.#signal;
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
        if (signal.aborted) break;
        if (first) throw error;
        this.#options.onTrouble(error);
      }
      // Discovery never ends by itself; where it broke it begins anew.
      await new Wake(clock).wait(AGAIN_MS, signal);
    }
    ready();
    await Promise.all(this.#reading.values());
  }

  /** The newest lines of all sources, each of which is read on from there without a break. */
  async #readFirst(sources: readonly LogSource[]): Promise<void> {
    const { store } = this.#options;
    const from = { kind: 'tail', lines: FIRST_LINES, bytesMax: FIRST_BYTES_MAX } as const;
    const opened = sources.map((source) => {
      const batches = store.read(source, { from, follow: !source.ended }, this.#signal);
      return { source, batches: batches[Symbol.asyncIterator]() };
    });
    const merger = new Merger();
    const firsts = await Promise.allSettled(
      opened.map(async ({ source, batches }) => {
        const { lines, before } = ((await batches.next()).value ?? NOTHING) as LogBatch;
        merger.add(source.id, { behind: false, now: this.#feed.now() });
        merger.push(source.id, lines, this.#feed.now());
        this.#feed.ends.set(source.id, lines.at(-1)?.position ?? null);
        if (before != null) this.#feed.entries.noteOlder(source.id, before, lines[0]?.time ?? '');
      }),
    );
    const failed = firsts.find((one) => one.status === 'rejected');
    if (failed !== undefined) {
      await Promise.all(opened.map(({ batches }) => batches.return?.()));
      throw failed.reason;
    }
    const lines = merger.take(this.#feed.now(), { all: true });
    for (const { source, time, position } of lines.slice(0, -FIRST_LINES))
      this.#feed.entries.noteOlder(source.id, position, time);
    for (const line of lines.slice(-FIRST_LINES)) this.#feed.append(lineEntry(line));
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
    this.#feed.ends.set(source.id, null);
    this.#feed.append({ kind: 'pod', source, state: 'joined' });
    this.#follow(source, null);
  }

  /** What is neither there any more nor read is forgotten. */
  #prune(sources: readonly LogSource[]): void {
    const there = new Set(sources.map(({ id }) => id));
    for (const id of this.#sources.keys()) {
      if (there.has(id) || this.#reading.has(id)) continue;
      this.#sources.delete(id);
      this.#feed.ends.delete(id);
      this.#read.delete(id);
      this.#feed.entries.forget(id);
    }
  }

  /** A source that is new is read from its first line, once the run before it has been read to its end. */
  #follow(source: LogSource, opened: AsyncIterator<LogBatch> | null): void {
    if (this.#reading.has(source.id)) return;
    const before = this.#reading.get(sourceId({ ...source, restart: source.restart - 1 }));
    const reading = Promise.resolve(opened === null ? before : undefined)
      .then(() => this.#pump(source, opened))
      .finally(() => this.#reading.delete(source.id));
    this.#reading.set(source.id, reading);
  }

  async #pump(source: LogSource, opened: AsyncIterator<LogBatch> | null): Promise<void> {
    const signal = this.#signal;
    this.#feed.merger.add(source.id, { behind: opened === null, now: this.#feed.now() });
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
    while (this.#feed.merger.waitingOf(source.id) > 0 && !signal.aborted) await this.#feed.turn();
    this.#feed.merger.end(source.id);
    if (signal.aborted) return;
    this.#sources.set(source.id, { ...source, ended: true });
    this.#feed.append({ kind: 'pod', source, state: 'ended' });
    this.#feed.ring();
  }

  #openAgain(source: LogSource): AsyncIterator<LogBatch> {
    const position = this.#read.get(source.id) ?? this.#feed.ends.get(source.id) ?? null;
    const from = position === null ? ({ kind: 'start' } as const) : ({ kind: 'after', position } as const);
    return this.#options.store.read(source, { from, follow: true }, this.#signal)[Symbol.asyncIterator]();
  }

  /** To the end of the source. */
  async #pass(source: LogSource, batches: AsyncIterator<LogBatch>): Promise<void> {
    const signal = this.#signal;
    try {
      for (let next = await batches.next(); next.done !== true; next = await batches.next()) {
        const { gap, lines } = next.value;
        if (gap !== null) this.#feed.append({ kind: 'gap', source, reason: gap });
        this.#feed.merger.push(source.id, lines, this.#feed.now());
        this.#feed.merger.caughtUp(source.id);
        const last = lines.at(-1);
        if (last !== undefined) this.#read.set(source.id, last.position);
        this.#feed.ring();
        while (this.#feed.merger.waitingOf(source.id) > QUEUE_LINES_MAX && !signal.aborted)
          await this.#feed.turn();
      }
    } finally {
      await batches.return?.();
    }
  }
}
