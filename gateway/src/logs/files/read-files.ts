/** Reads one source from its files: existing lines, and new ones while it is followed. */
import { type FSWatcher, watch } from 'node:fs';
import type { Clock } from '../../kernel/time.ts';
import { ChangeSignal } from '../change-signal.ts';
import type { LogBatch, LogLine, LogSource, SourceReadOptions } from '../source.ts';
import { type FileOffset, readFilePosition } from './file-position.ts';
import { FileWalk } from './file-walk.ts';
import { currentOffset, findStart, type Start } from './find-start.ts';
import type { JoinedLine } from './join-records.ts';
import { readRestarts, type SourceFolder } from './source-folder.ts';

/** How often files are checked, because not every file system reports changes. */
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
  // One line more than the tail: it provides the position before the tail.
  const from =
    options.from.kind === 'tail' ? { ...options.from, lines: options.from.lines + 1 } : options.from;
  const start = await findStart(folder, from, until);
  const walk = new FileWalk(folder, start);
  const reader = new SourceReader(source, walk, { start, until });
  try {
    if (options.from.kind === 'tail') {
      yield await readTail(reader, options.from, signal);
    } else {
      if (start.gap !== null) yield { lines: [], gap: start.gap };
      yield* readAll(reader, signal);
    }
    if (options.follow) yield* follow(reader, folder, options.clock, signal);
    else if (source.ended) yield* batchOf(await reader.finish());
  } finally {
    await walk.close();
  }
}

/** All existing lines of all files. */
async function* readAll(reader: SourceReader, signal: AbortSignal): AsyncGenerator<LogBatch> {
  while (!signal.aborted && !reader.ended) {
    const moved = (await reader.block()) || (await reader.nextFile());
    const lines = reader.take();
    if (lines.length > 0) yield { lines, gap: null };
    if (!moved) return;
  }
}

async function readTail(
  reader: SourceReader,
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
  for await (const { lines } of readAll(reader, signal)) {
    for (const line of lines) {
      kept.push(line);
      bytes += line.text.length;
    }
    if (kept.length >= 2 * tail.lines + 2 || bytes >= 2 * tail.bytesMax) trim();
  }
  trim();
  return { lines: kept, gap: null, before };
}

/** The index of the first line of a tail within its limits. */
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
  reader: SourceReader,
  folder: SourceFolder,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<LogBatch> {
  const changed = new ChangeSignal(clock);
  const watcher = watchFolder(folder.folder, () => changed.notify());
  try {
    for (let ending = false; !signal.aborted && !reader.ended; ) {
      yield* readAll(reader, signal);
      if (await reader.wasTruncated()) {
        yield { lines: [], gap: 'the file was emptied' };
        continue;
      }
      if (ending) {
        yield* batchOf(await reader.finish());
        return;
      }
      const restarts = await readRestarts(folder.folder);
      // The writer is gone: read its last lines once more, then end.
      ending = restarts === null || restarts.some((restart) => restart > folder.restart);
      if (!ending) await changed.wait(POLL_MS, signal);
    }
  } finally {
    watcher?.close();
  }
}

/** Null if the file system does not report changes; polling is enough then. */
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

async function findUntil(
  folder: SourceFolder,
  text: string | undefined,
): Promise<FileOffset | null | 'gone'> {
  if (text === undefined) return null;
  const position = readFilePosition(text);
  return position === null ? 'gone' : ((await currentOffset(folder, position.at)) ?? 'gone');
}

/** Collects the lines of a walk, without those that are already known or after the end of the range. */
class SourceReader {
  readonly #source: LogSource;
  readonly #walk: FileWalk;
  readonly #start: Start;
  readonly #until: FileOffset | null;
  #lines: LogLine[] = [];
  #known: FileOffset | null;
  #knownSeen = false;
  #untilSeen = false;
  ended = false;

  constructor(source: LogSource, walk: FileWalk, ends: { start: Start; until: FileOffset | null }) {
    this.#source = source;
    this.#walk = walk;
    this.#start = ends.start;
    this.#until = ends.until;
    this.#known = ends.start.known;
  }

  block(): Promise<boolean> {
    return this.#walk.readBlock(this.#onLine);
  }

  async nextFile(): Promise<boolean> {
    const moved = await this.#walk.nextFile(this.#onLine);
    if (moved && this.#untilSeen) this.ended = true;
    if (moved && this.#knownSeen) this.#known = null;
    return moved && !this.ended;
  }

  async finish(): Promise<LogLine[]> {
    if (!this.ended) await this.#walk.finish(this.#onLine);
    return this.take();
  }

  async wasTruncated(): Promise<boolean> {
    const truncated = await this.#walk.wasTruncated();
    if (truncated) this.#known = null;
    return truncated;
  }

  take(): LogLine[] {
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }

  readonly #onLine = (line: JoinedLine, end: FileOffset): void => {
    if (this.ended) return;
    if (this.#until !== null && this.#isIn(end, this.#until)) {
      this.#untilSeen = true;
      if (end.offset >= this.#until.offset) this.ended = true;
      if (end.offset > this.#until.offset) return;
    }
    if (this.#known !== null) {
      if (this.#isIn(end, this.#known)) this.#knownSeen = true;
      if (!this.#knownSeen || end.offset <= this.#known.offset) return;
      this.#known = null;
    }
    if (this.#start.since !== null && line.time < this.#start.since) return;
    this.#lines.push({ source: this.#source, time: line.time, text: line.text, position: line.position });
  };

  /** A file that was compressed since has another inode. */
  #isIn(offset: FileOffset, wanted: FileOffset): boolean {
    if (offset.file === wanted.file) return true;
    const digest = wanted.file.slice(wanted.file.indexOf('-'));
    return this.#walk.path.endsWith('.gz') && offset.file.endsWith(digest);
  }
}
