/** Discovers the sources of a project and reads each of them, from its newest lines until it ends. */
import { type Clock, pause } from '../kernel/time.ts';
import { type FeedBuffer, type FeedEntry, lineEntry } from './feed-buffer.ts';
import { mergeTails, readTail, type TailLimit } from './last-lines.ts';
import { FIRST_POSITION, readFromPosition } from './line-position.ts';
import type { Merger, Now } from './merge.ts';
import { type LogBatch, type LogSource, type LogStore, type ReadFrom, sourceId } from './source.ts';

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
  append(entry: FeedEntry): void;
  /** There are lines to merge. */
  notify(): void;
  /** Resolves when lines were merged. */
  merged(): Promise<void>;
  now(): Now;
}

/** Read before the first follower is served, so that most tails are answered from the buffer. */
const FIRST: TailLimit = { lines: 1_000, bytesMax: 1024 * 1024 };
/** Lines of one source that may wait to be merged. */
const QUEUE_LINES_MAX = 4_000;
const RETRY_MS = 1_000;

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
    const from = { kind: 'tail', lines: FIRST.lines } as const;
    const opened = sources.map((source) => ({ source, batches: this.#open(source, from, !source.ended) }));
    const tails = await Promise.allSettled(opened.map(({ batches }) => readTail(batches, FIRST)));
    const failed = tails.find((one) => one.status === 'rejected');
    if (failed !== undefined) {
      await Promise.all(opened.map(({ batches }) => batches.return?.()));
      throw failed.reason;
    }
    const { lines, before } = mergeTails(
      tails.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
      FIRST.lines,
    );
    for (const line of before.values()) this.#output.buffer.noteOlderLine(line);
    for (const line of lines) this.#output.append(lineEntry(line));
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
    this.#output.append({ kind: 'pod', source, state: 'joined' });
    this.#follow(source, null);
  }

  /** Forgets sources that no longer exist and are not being read. */
  #prune(sources: readonly LogSource[]): void {
    const existing = new Set(sources.map(({ id }) => id));
    for (const id of this.#sources.keys()) {
      if (existing.has(id) || this.#readers.has(id)) continue;
      this.#sources.delete(id);
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

  /** After the last line read, merged or not. */
  #reopen(source: LogSource): AsyncIterator<LogBatch> {
    const position = this.#readPositions.get(source.id) ?? this.#output.buffer.endOf(source.id);
    return this.#open(source, readFromPosition(position ?? FIRST_POSITION), true);
  }

  #open(source: LogSource, from: ReadFrom, follow: boolean): AsyncIterator<LogBatch> {
    return this.#options.store.read(source, { from, follow }, this.#signal)[Symbol.asyncIterator]();
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
