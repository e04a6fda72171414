/** Reads past lines of many sources from the store, merged by time, up to the end of each range. */
import type { LogTime } from '../kernel/log-time.ts';
import type { Clock } from '../kernel/time.ts';
import type { PastRange, SourceEnd, StoredPast } from './choose-past.ts';
import { FIRST_POSITION } from './line-position.ts';
import { Merger, type Now } from './merge.ts';
import type { LogBatch, LogLine, LogSource, LogStore, ReadFrom } from './source.ts';

export interface SourceGap {
  readonly source: LogSource;
  readonly reason: string;
}

export interface PastBatch {
  readonly lines: readonly LogLine[];
  readonly gaps: readonly SourceGap[];
}

/** A past that is open for reading. */
export interface OpenPast {
  /** The position before the first line of a source. */
  readonly positionOf: (source: string) => string;
  readonly batches: AsyncIterable<PastBatch> | Iterable<PastBatch>;
}

export interface PastTools {
  readonly store: LogStore;
  readonly clock: Clock;
}

/** Memory for the last lines of all sources together. */
const TAIL_BYTES_MAX = 32 * 1024 * 1024;
const TAIL_SOURCE_BYTES_MIN = 1024 * 1024;
/** Sources read at the same time; more are read in groups. */
const SOURCES_MAX = 512;

export async function openPast(past: StoredPast, tools: PastTools, signal: AbortSignal): Promise<OpenPast> {
  if (past.kind === 'ranges') {
    return { positionOf: past.positionOf, batches: readRanges(past.ranges, tools, signal) };
  }
  const tail = await readLastLines(past.ends, past.lines, tools, signal);
  return {
    positionOf: (source) => tail.positions.get(source) ?? FIRST_POSITION,
    batches: [{ lines: notBefore(tail.lines, past.since), gaps: tail.gaps }],
  };
}

export async function* readRanges(
  ranges: readonly PastRange[],
  tools: PastTools,
  signal: AbortSignal,
): AsyncGenerator<RangeBatch> {
  for (let from = 0; from < ranges.length; from += SOURCES_MAX)
    yield* readGroup(ranges.slice(from, from + SOURCES_MAX), tools, signal);
}

interface RangeBatch extends PastBatch {
  /** Of tails: by source, the position before its first line; null: that is the first line of the source. */
  readonly positions: ReadonlyMap<string, string | null>;
}

function notBefore(lines: readonly LogLine[], since: LogTime | null): readonly LogLine[] {
  return since === null ? lines : lines.filter(({ time }) => time >= since);
}

async function readLastLines(
  ends: readonly SourceEnd[],
  lines: number,
  tools: PastTools,
  signal: AbortSignal,
): Promise<RangeBatch> {
  const bytesMax = Math.max(TAIL_SOURCE_BYTES_MIN, TAIL_BYTES_MAX / Math.max(1, ends.length));
  const from: ReadFrom = { kind: 'tail', lines, bytesMax };
  const kept: LogLine[] = [];
  const gaps: SourceGap[] = [];
  const positions = new Map<string, string | null>();
  const trim = (): void => {
    for (const { source, position } of kept.splice(0, Math.max(0, kept.length - lines)))
      positions.set(source.id, position);
  };
  const ranges = ends.map((end) => ({ ...end, from }));
  for await (const batch of readRanges(ranges, tools, signal)) {
    for (const [source, position] of batch.positions) positions.set(source, position);
    for (const line of batch.lines) kept.push(line);
    gaps.push(...batch.gaps);
    if (kept.length > 2 * lines) trim();
  }
  trim();
  return { lines: kept, gaps, positions };
}

interface OpenRange {
  readonly id: string;
  readonly source: LogSource;
  readonly batches: AsyncIterator<LogBatch>;
  ended: boolean;
}

async function* readGroup(
  ranges: readonly PastRange[],
  { store, clock }: PastTools,
  signal: AbortSignal,
): AsyncGenerator<RangeBatch> {
  const merger = new Merger();
  const now = (): Now => ({ elapsedMs: clock.elapsedMs(), instant: clock.now() });
  const open: OpenRange[] = ranges.map(({ source, from, until }) => {
    merger.add(source.id, { behind: true, now: now() });
    const options = { from, follow: false, ...(until !== null && { until }) };
    const batches = store.read(source, options, signal)[Symbol.asyncIterator]();
    return { id: source.id, source, batches, ended: false };
  });
  try {
    while (!signal.aborted) {
      // A line is sent only when the next line of every source is known.
      const positions = new Map<string, string | null>();
      const gaps = (await Promise.all(open.map((range) => fill(range, merger, now, positions)))).flat();
      const done = open.every((range) => range.ended);
      const lines = merger.take(now(), { all: done });
      if (lines.length > 0 || gaps.length > 0 || positions.size > 0) yield { lines, gaps, positions };
      if (done) return;
    }
  } finally {
    await Promise.all(open.map((range) => range.batches.return?.()));
  }
}

async function fill(
  range: OpenRange,
  merger: Merger,
  now: () => Now,
  positions: Map<string, string | null>,
): Promise<SourceGap[]> {
  const gaps: SourceGap[] = [];
  while (!range.ended && merger.waitingOf(range.id) === 0) {
    const { done, value } = await range.batches.next();
    if (done === true) {
      range.ended = true;
      merger.end(range.id);
      break;
    }
    if (value.before !== undefined) positions.set(range.id, value.before);
    if (value.gap !== null) gaps.push({ source: range.source, reason: value.gap });
    merger.push(range.id, value.lines, now());
  }
  return gaps;
}
