/** Reads what is there of many sources, in the order of time, up to where each is wanted. */
import type { Clock } from '../kernel/time.ts';
import { Merger } from './merge.ts';
import type { LogBatch, LogLine, LogSource, LogStore, ReadFrom } from './source.ts';

export interface HistoryPart {
  readonly source: LogSource;
  readonly from: ReadFrom;
  /** The last line wanted; null: all that is there. */
  readonly until: string | null;
}

export interface Gap {
  readonly source: LogSource;
  readonly reason: string;
}

export interface HistoryBatch {
  readonly lines: readonly LogLine[];
  readonly gaps: readonly Gap[];
}

export interface HistoryTools {
  readonly store: LogStore;
  readonly clock: Clock;
}

/** Held in memory of the last lines of all sources together. */
const TAIL_BYTES_MAX = 32 * 1024 * 1024;
const TAIL_SOURCE_BYTES_MIN = 1024 * 1024;
/** Sources read at the same time; of more than these the rest is read in groups. */
const SOURCES_MAX = 512;

export async function* readHistory(
  parts: readonly HistoryPart[],
  tools: HistoryTools,
  signal: AbortSignal,
): AsyncGenerator<HistoryBatch> {
  for (let from = 0; from < parts.length; from += SOURCES_MAX)
    yield* readGroup(parts.slice(from, from + SOURCES_MAX), tools, signal);
}

export interface Tail extends HistoryBatch {
  /** Where each source that has lines was read to. */
  readonly ends: ReadonlyMap<string, string>;
  /** Nothing was left out. */
  readonly whole: boolean;
}

/** The last lines of all sources together. */
export async function readTail(
  sources: ReadonlyArray<{ source: LogSource; until: string | null }>,
  lines: number,
  tools: HistoryTools,
  signal: AbortSignal,
): Promise<Tail> {
  const bytesMax = Math.max(TAIL_SOURCE_BYTES_MIN, TAIL_BYTES_MAX / Math.max(1, sources.length));
  const from: ReadFrom = { kind: 'tail', lines, bytesMax };
  const kept: LogLine[] = [];
  const gaps: Gap[] = [];
  const ends = new Map<string, string>();
  const parts = sources.map((part) => ({ ...part, from }));
  let [seen, bytes] = [0, 0];
  for await (const batch of readHistory(parts, tools, signal)) {
    for (const line of batch.lines) {
      kept.push(line);
      ends.set(line.source.id, line.position);
      bytes += line.text.length;
    }
    seen += batch.lines.length;
    gaps.push(...batch.gaps);
    if (kept.length > 2 * lines) kept.splice(0, kept.length - lines);
  }
  const whole = seen < lines && bytes < TAIL_SOURCE_BYTES_MIN;
  return { lines: lines === 0 ? [] : kept.slice(-lines), gaps, ends, whole };
}

interface OpenPart {
  readonly id: string;
  readonly source: LogSource;
  readonly batches: AsyncIterator<LogBatch>;
  over: boolean;
}

async function* readGroup(
  parts: readonly HistoryPart[],
  { store, clock }: HistoryTools,
  signal: AbortSignal,
): AsyncGenerator<HistoryBatch> {
  const merger = new Merger();
  const now = (): { elapsedMs: number; instant: number } => ({
    elapsedMs: clock.elapsedMs(),
    instant: clock.now(),
  });
  const open: OpenPart[] = parts.map(({ source, from, until }) => {
    merger.add(source.id, { behind: true, now: now() });
    const options = { from, follow: false, ...(until !== null && { until }) };
    const batches = store.read(source, options, signal)[Symbol.asyncIterator]();
    return { id: source.id, source, batches, over: false };
  });
  try {
    while (!signal.aborted) {
      // A line goes out only when every source has shown its next one.
      const gaps = (await Promise.all(open.map((part) => fill(part, merger, now)))).flat();
      const done = open.every((part) => part.over);
      const lines = merger.take(now(), { all: done });
      if (lines.length > 0 || gaps.length > 0) yield { lines, gaps };
      if (done) return;
    }
  } finally {
    await Promise.all(open.map((part) => part.batches.return?.()));
  }
}

async function fill(
  part: OpenPart,
  merger: Merger,
  now: () => { elapsedMs: number; instant: number },
): Promise<Gap[]> {
  const gaps: Gap[] = [];
  while (!part.over && merger.waitingOf(part.id) === 0) {
    const { done, value } = await part.batches.next();
    if (done === true) {
      part.over = true;
      merger.end(part.id);
      break;
    }
    if (value.gap !== null) gaps.push({ source: part.source, reason: value.gap });
    merger.push(part.id, value.lines, now());
  }
  return gaps;
}
