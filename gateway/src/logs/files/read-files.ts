/** Reads one source from its files: what is there, and what comes while it is followed. */
import { type FSWatcher, watch } from 'node:fs';
import type { Clock } from '../../kernel/time.ts';
import { ChangeSignal } from '../change-signal.ts';
import type { LogBatch, LogLine, LogSource, SourceReadOptions } from '../source.ts';
import { type FilePlace, readPosition } from './file-position.ts';
import { FileWalk } from './file-walk.ts';
import { findStart, presentPlace, type Start } from './find-start.ts';
import type { JoinedLine } from './join-records.ts';
import { readRestarts, type SourceFolder } from './source-folder.ts';

/** Files are looked at this often, also where nothing tells of changes. */
export const POLL_MS = 1_000;

export async function* readFiles(
  folder: SourceFolder,
  source: LogSource,
  options: SourceReadOptions & { readonly clock: Clock },
  signal: AbortSignal,
): AsyncGenerator<LogBatch> {
  const until = await findUntil(folder, options.until);
  if (until === 'gone') {
    yield { lines: [], gap: 'rotated away' };
    return;
  }
  // One line more than the tail, which tells the place before it.
  const from =
    options.from.kind === 'tail' ? { ...options.from, lines: options.from.lines + 1 } : options.from;
  const start = await findStart(folder, from, until);
  const walk = new FileWalk(folder, start);
  const reading = new Reading(source, walk, { start, until });
  try {
    if (options.from.kind === 'tail') {
      yield await readTail(reading, options.from, signal);
    } else {
      if (start.gap !== null) yield { lines: [], gap: start.gap };
      yield* readAll(reading, signal);
    }
    if (options.follow) yield* follow(reading, folder, options.clock, signal);
    else if (source.ended) yield* batchOf(await reading.finish());
  } finally {
    await walk.close();
  }
}

/** Everything that is there, over all files. */
async function* readAll(reading: Reading, signal: AbortSignal): AsyncGenerator<LogBatch> {
  while (!signal.aborted && !reading.over) {
    const moved = (await reading.block()) || (await reading.moveOn());
    const lines = reading.take();
    if (lines.length > 0) yield { lines, gap: null };
    if (!moved) return;
  }
}

async function readTail(
  reading: Reading,
  tail: { lines: number; bytesMax: number },
  signal: AbortSignal,
): Promise<LogBatch> {
  let kept: LogLine[] = [];
  let before: string | null = null;
  let bytes = 0;
  const trim = (): void => {
    const from = lastFrom(kept, tail);
    before = kept[from - 1]?.position ?? before;
    kept = kept.slice(from);
    bytes = kept.reduce((sum, { text }) => sum + text.length, 0);
  };
  for await (const { lines } of readAll(reading, signal)) {
    for (const line of lines) {
      kept.push(line);
      bytes += line.text.length;
    }
    if (kept.length >= 2 * tail.lines + 2 || bytes >= 2 * tail.bytesMax) trim();
  }
  trim();
  return { lines: kept, gap: null, before };
}

/** The index of the first of the last lines that fit. */
function lastFrom(lines: readonly LogLine[], tail: { lines: number; bytesMax: number }): number {
  let bytes = 0;
  let from = lines.length;
  while (from > 0 && lines.length - from < tail.lines) {
    bytes += (lines[from - 1] as LogLine).text.length;
    if (bytes > tail.bytesMax && from < lines.length) break;
    from--;
  }
  return from;
}

async function* follow(
  reading: Reading,
  folder: SourceFolder,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<LogBatch> {
  const changed = new ChangeSignal(clock);
  const watcher = watchFolder(folder.folder, () => changed.notify());
  try {
    for (let ending = false; !signal.aborted && !reading.over; ) {
      yield* readAll(reading, signal);
      if (await reading.emptied()) {
        yield { lines: [], gap: 'the file was emptied' };
        continue;
      }
      if (ending) {
        yield* batchOf(await reading.finish());
        return;
      }
      const restarts = await readRestarts(folder.folder);
      // Whoever wrote it is gone: what it wrote last is read once more, then it is over.
      ending = restarts === null || restarts.some((restart) => restart > folder.restart);
      if (!ending) await changed.wait(POLL_MS, signal);
    }
  } finally {
    watcher?.close();
  }
}

/** Not every file system tells of changes; then the poll has to do. */
function watchFolder(folder: string, onChange: () => void): FSWatcher | null {
  try {
    const watcher = watch(folder, onChange);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return null;
  }
}

function* batchOf(lines: readonly LogLine[]): Generator<LogBatch> {
  if (lines.length > 0) yield { lines, gap: null };
}

async function findUntil(folder: SourceFolder, text: string | undefined): Promise<FilePlace | null | 'gone'> {
  if (text === undefined) return null;
  const position = readPosition(text);
  return position === null ? 'gone' : ((await presentPlace(folder, position.at)) ?? 'gone');
}

/** A walk with what is known before it and not wanted after it. */
class Reading {
  readonly #source: LogSource;
  readonly #walk: FileWalk;
  readonly #start: Start;
  readonly #until: FilePlace | null;
  #lines: LogLine[] = [];
  #known: FilePlace | null;
  #knownSeen = false;
  #untilSeen = false;
  over = false;

  constructor(source: LogSource, walk: FileWalk, ends: { start: Start; until: FilePlace | null }) {
    this.#source = source;
    this.#walk = walk;
    this.#start = ends.start;
    this.#until = ends.until;
    this.#known = ends.start.known;
  }

  block(): Promise<boolean> {
    return this.#walk.readBlock(this.#onLine);
  }

  async moveOn(): Promise<boolean> {
    const moved = await this.#walk.moveOn(this.#onLine);
    if (moved && this.#untilSeen) this.over = true;
    if (moved && this.#knownSeen) this.#known = null;
    return moved && !this.over;
  }

  async finish(): Promise<LogLine[]> {
    if (!this.over) await this.#walk.finish(this.#onLine);
    return this.take();
  }

  async emptied(): Promise<boolean> {
    const emptied = await this.#walk.emptied();
    if (emptied) this.#known = null;
    return emptied;
  }

  take(): LogLine[] {
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }

  readonly #onLine = (line: JoinedLine, place: FilePlace): void => {
    if (this.over) return;
    if (this.#until !== null && this.#isIn(place, this.#until)) {
      this.#untilSeen = true;
      if (place.offset >= this.#until.offset) this.over = true;
      if (place.offset > this.#until.offset) return;
    }
    if (this.#known !== null) {
      if (this.#isIn(place, this.#known)) this.#knownSeen = true;
      if (!this.#knownSeen || place.offset <= this.#known.offset) return;
      this.#known = null;
    }
    if (this.#start.since !== null && line.time < this.#start.since) return;
    this.#lines.push({ source: this.#source, time: line.time, text: line.text, position: line.position });
  };

  /** A file that was packed since has another inode. */
  #isIn(place: FilePlace, wanted: FilePlace): boolean {
    if (place.file === wanted.file) return true;
    const digest = wanted.file.slice(wanted.file.indexOf('-'));
    return this.#walk.path.endsWith('.gz') && place.file.endsWith(digest);
  }
}
