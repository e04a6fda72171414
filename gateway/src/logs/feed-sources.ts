/** Discovers the sources of a project and reads each of them, from its newest lines until it ends. */
import { type Clock, pause } from '../kernel/time.ts';
import { type FeedBuffer, type FeedEntry, lineEntry } from './feed-buffer.ts';
import { Merger, type Now } from './merge.ts';
import { type LogBatch, type LogSource, type LogStore, sourceId } from './source.ts';

export interface FeedOptions {
  readonly project: string;
  readonly store: LogStore;
  readonly clock: Clock;
  readonly onTrouble: (error: unknown) => void;
}

/** Where the lines go. */
export interface FeedOutput {
  readonly buffer: FeedBuffer;
  readonly merger: Merger;
  /** By source, the position after its last line in the buffer; null: no line yet. */
  readonly ends: Map<string, string | null>;
  append(entry: FeedEntry): void;
  /** There are lines to merge. */
  notify(): void;
  /** Resolves when lines were merged. */
  merged(): Promise<void>;
  now(): Now;
}

/** Read before the first follower is served, so that most tails are answered from the buffer. */
const FIRST_LINES = 1_000;
const FIRST_BYTES_MAX = 1024 * 1024;
/** Lines of one source that may wait to be merged. */
const QUEUE_LINES_MAX = 4_000;
const RETRY_MS = 1_000;
const NOTHING: LogBatch = { lines: [], gap: null };

export class FeedSources {
  readonly #options: FeedOptions;
  readonly #output: FeedOutput;
  readonly #signal: AbortSignal;
  readonly #sources = new Map<string, LogSource>();
  /** By source, the position after the last line read, merged or not. */
  readonly #readPositions = new Map<string, string>();
  readonly #readers = new Map<string, Promise<void>>();

  constructor(options: FeedOptions, output: FeedOutput, signal: AbortSignal) {
    this.#options = options;
    this.#output = output;
    this.#signal = signal;
  }

  get all(): ReadonlyMap<string, LogSource> {
    return this.#sources;
  }

  /** Runs until it is stopped; calls `ready` when the newest lines of the existing sources are in the buffer. */
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
      // Discovery does not end by itself: it failed, so start it again.
      await pause(clock, RETRY_MS, signal);
    }
    ready();
    await Promise.all(this.#readers.values());
  }

  /** Reads the newest lines of all sources; each reader then continues from there. */
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
        merger.add(source.id, { behind: false, now: this.#output.now() });
        merger.push(source.id, lines, this.#output.now());
        this.#output.ends.set(source.id, lines.at(-1)?.position ?? null);
        if (before != null) this.#output.buffer.noteOlderLines(source.id, before, lines[0]?.time ?? '');
      }),
    );
    const failed = firsts.find((one) => one.status === 'rejected');
    if (failed !== undefined) {
      await Promise.all(opened.map(({ batches }) => batches.return?.()));
      throw failed.reason;
    }
    const lines = merger.take(this.#output.now(), { all: true });
    for (const { source, time, position } of lines.slice(0, -FIRST_LINES))
      this.#output.buffer.noteOlderLines(source.id, position, time);
    for (const line of lines.slice(-FIRST_LINES)) this.#output.append(lineEntry(line));
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
    this.#output.ends.set(source.id, null);
    this.#output.append({ kind: 'pod', source, state: 'joined' });
    this.#follow(source, null);
  }

  /** Forgets sources that no longer exist and are not being read. */
  #prune(sources: readonly LogSource[]): void {
    const existing = new Set(sources.map(({ id }) => id));
    for (const id of this.#sources.keys()) {
      if (existing.has(id) || this.#readers.has(id)) continue;
      this.#sources.delete(id);
      this.#output.ends.delete(id);
      this.#readPositions.delete(id);
      this.#output.buffer.forgetSource(id);
    }
  }

  /** A new source is read from its first line, after the previous run of the container was read to its end. */
  #follow(source: LogSource, opened: AsyncIterator<LogBatch> | null): void {
    if (this.#readers.has(source.id)) return;
    const before = this.#readers.get(sourceId({ ...source, restart: source.restart - 1 }));
    const reading = Promise.resolve(opened === null ? before : undefined)
      .then(() => this.#readSource(source, opened))
      .finally(() => this.#readers.delete(source.id));
    this.#readers.set(source.id, reading);
  }

  async #readSource(source: LogSource, opened: AsyncIterator<LogBatch> | null): Promise<void> {
    const signal = this.#signal;
    this.#output.merger.add(source.id, { behind: opened === null, now: this.#output.now() });
    for (let batches = opened; !signal.aborted; batches = null) {
      try {
        await this.#readToEnd(source, batches ?? this.#reopen(source));
        break;
      } catch (error) {
        if (signal.aborted) break;
        this.#options.onTrouble(error);
        await pause(this.#options.clock, RETRY_MS, signal);
      }
    }
    await opened?.return?.();
    while (this.#output.merger.waitingOf(source.id) > 0 && !signal.aborted) await this.#output.merged();
    this.#output.merger.end(source.id);
    if (signal.aborted) return;
    this.#sources.set(source.id, { ...source, ended: true });
    this.#output.append({ kind: 'pod', source, state: 'ended' });
    this.#output.notify();
  }

  #reopen(source: LogSource): AsyncIterator<LogBatch> {
    const position = this.#readPositions.get(source.id) ?? this.#output.ends.get(source.id) ?? null;
    const from = position === null ? ({ kind: 'start' } as const) : ({ kind: 'after', position } as const);
    return this.#options.store.read(source, { from, follow: true }, this.#signal)[Symbol.asyncIterator]();
  }

  /** Reads to the end of the source. */
  async #readToEnd(source: LogSource, batches: AsyncIterator<LogBatch>): Promise<void> {
    const signal = this.#signal;
    try {
      for (let next = await batches.next(); next.done !== true; next = await batches.next()) {
        const { gap, lines } = next.value;
        if (gap !== null) this.#output.append({ kind: 'gap', source, reason: gap });
        this.#output.merger.push(source.id, lines, this.#output.now());
        this.#output.merger.caughtUp(source.id);
        const last = lines.at(-1);
        if (last !== undefined) this.#readPositions.set(source.id, last.position);
        this.#output.notify();
        while (this.#output.merger.waitingOf(source.id) > QUEUE_LINES_MAX && !signal.aborted)
          await this.#output.merged();
      }
    } finally {
      await batches.return?.();
    }
  }
}
