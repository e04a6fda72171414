/** Reads one source from its files: existing lines, and new ones while it is followed. */
import type { Clock } from '../../kernel/time.ts';
import type { LogBatch, LogLine, LogSource, SourceReadOptions } from '../source.ts';
import { type FileOffset, PositionMark, readFilePosition } from './file-position.ts';
import { FileWalk } from './file-walk.ts';
import { currentOffset, findStart, type Start } from './find-start.ts';
import type { JoinedLine } from './join-records.ts';
import { readRestarts, type SourceFolder } from './source-folder.ts';
import { FolderWatch } from './watch-folder.ts';

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
  const start = await findStart(folder, options.from, until);
  const reader = new SourceReader(source, folder, { start, until });
  try {
    if (start.gap !== null) yield { lines: [], gap: start.gap };
    yield* readAll(reader, signal);
    if (options.follow) {
      yield { lines: [], gap: null, atEnd: true };
      yield* follow(reader, folder, options.clock, signal);
    } else if (source.ended) yield* batchOf(await reader.finish());
  } finally {
    await reader.walk.close();
  }
}

/** Null: there is none. */
async function findUntil(
  folder: SourceFolder,
  text: string | undefined,
): Promise<FileOffset | null | 'gone'> {
  if (text === undefined) return null;
  const position = readFilePosition(text);
  return position === null ? 'gone' : ((await currentOffset(folder, position.at)) ?? 'gone');
}

/** All existing lines of all files. */
async function* readAll(reader: SourceReader, signal: AbortSignal): AsyncGenerator<LogBatch> {
  while (!signal.aborted && !reader.ended) {
    const moved = (await reader.walk.readBlock()) || (await reader.walk.nextFile());
    yield* batchOf(reader.take());
    if (!moved) return;
  }
}

async function* follow(
  reader: SourceReader,
  folder: SourceFolder,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<LogBatch> {
  const changes = new FolderWatch(folder.folder, clock);
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
      if (!ending) await changes.wait(signal);
    }
  } finally {
    changes.close();
  }
}

function* batchOf(lines: readonly LogLine[]): Generator<LogBatch> {
  if (lines.length > 0) yield { lines, gap: null };
}

/** Collects the lines of a walk, without those that are already known or after the end of the range. */
class SourceReader {
  readonly walk: FileWalk;
  readonly #source: LogSource;
  readonly #start: Start;
  readonly #until: PositionMark | null;
  #known: PositionMark | null;
  #lines: LogLine[] = [];
  ended = false;

  constructor(source: LogSource, folder: SourceFolder, ends: { start: Start; until: FileOffset | null }) {
    this.#source = source;
    this.walk = new FileWalk(folder, ends.start, this.#onLine);
    this.#start = ends.start;
    this.#until = ends.until === null ? null : new PositionMark(ends.until);
    this.#known = ends.start.known === null ? null : new PositionMark(ends.start.known);
  }

  async finish(): Promise<LogLine[]> {
    if (!this.ended) await this.walk.finish();
    return this.take();
  }

  async wasTruncated(): Promise<boolean> {
    const truncated = await this.walk.wasTruncated();
    if (truncated) this.#known = null;
    return truncated;
  }

  take(): LogLine[] {
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }

  readonly #onLine = ({ time, text, position }: JoinedLine, end: FileOffset): void => {
    if (this.ended) return;
    const compressed = this.walk.path.endsWith('.gz');
    const past = this.#until?.compare(end, compressed) ?? -1;
    this.ended = past >= 0;
    if (past > 0) return;
    if (this.#known !== null && this.#known.compare(end, compressed) <= 0) return;
    this.#known = null;
    if (this.#start.since !== null && time < this.#start.since) return;
    this.#lines.push({ source: this.#source, time, text, position });
  };
}
