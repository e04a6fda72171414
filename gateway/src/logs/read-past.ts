/** Reads past lines of many sources from the store, merged by time. */

import { logTimeOf } from '../kernel/log-time.ts';
import type { Clock } from '../kernel/time.ts';
import { mergeTails, readTail, type TailLimit } from './last-lines.ts';
import { FIRST_POSITION, readFromPosition } from './line-position.ts';
import type { WantedPast } from './log-request.ts';
import { Merger, type Now } from './merge.ts';
import type { LogBatch, LogLine, LogSource, LogStore, ReadFrom } from './source.ts';

/** A source and the position up to which it is read; undefined: to its end. */
export interface SourceEnd {
  readonly source: LogSource;
  readonly until: string | undefined;
}

export interface PastBatch {
  readonly lines: readonly LogLine[];
  readonly gaps: ReadonlyArray<{ readonly source: LogSource; readonly reason: string }>;
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

export async function openPast(
  { lastLines, since, positionOf }: WantedPast,
  ends: readonly SourceEnd[],
  tools: PastTools,
  signal: AbortSignal,
): Promise<OpenPast> {
  if (lastLines === null) return { positionOf, batches: readFrom(positionOf, ends, tools, signal) };
  const bytesMax = Math.max(TAIL_SOURCE_BYTES_MIN, TAIL_BYTES_MAX / Math.max(1, ends.length));
  const { lines, before, gaps } = await readLast({ lines: lastLines, bytesMax }, ends, tools, signal);
  const first = since === null ? '' : logTimeOf(since);
  return {
    positionOf: (source) => before.get(source)?.position ?? FIRST_POSITION,
    batches: [{ lines: lines.filter(({ time }) => time >= first), gaps }],
  };
}

/** The last lines of all sources together. */
async function readLast(
  limit: TailLimit,
  ends: readonly SourceEnd[],
  { store }: PastTools,
  signal: AbortSignal,
) {
  let found = mergeTails([], limit.lines);
  const gaps: PastBatch['gaps'][number][] = [];
  const from: ReadFrom = { kind: 'tail', lines: limit.lines };
  for (const group of groupsOf(ends)) {
    const tails = await Promise.all(
      group.map(async (end) => {
        const tail = await readTail(open(store, end, from, signal), limit);
        for (const reason of tail.gaps) gaps.push({ source: end.source, reason });
        return tail;
      }),
    );
    found = mergeTails([found, ...tails], limit.lines);
  }
  return { ...found, gaps };
}

/** Each source from a position to its end; one that is already there has no lines. */
export async function* readFrom(
  positionOf: (source: string) => string,
  ends: readonly SourceEnd[],
  { store, clock }: PastTools,
  signal: AbortSignal,
): AsyncGenerator<PastBatch> {
  const now = (): Now => ({ elapsedMs: clock.elapsedMs(), instant: clock.now() });
  const behind = ends.filter(({ source, until }) => positionOf(source.id) !== until);
  for (const group of groupsOf(behind)) {
    const merger = new Merger();
    const ranges = group.map((end): OpenRange => {
      merger.add(end.source.id, { behind: true, now: now() });
      const from = readFromPosition(positionOf(end.source.id));
      return { source: end.source, batches: open(store, end, from, signal), ended: false };
    });
    try {
      for (let done = false; !done && !signal.aborted; ) {
        // A line is sent only when the next line of every source is known.
        const gaps = (await Promise.all(ranges.map((range) => fill(range, merger, now)))).flat();
        done = ranges.every((range) => range.ended);
        const lines = merger.take(now(), { all: done });
        if (lines.length > 0 || gaps.length > 0) yield { lines, gaps };
      }
    } finally {
      await Promise.all(ranges.map((range) => range.batches.return?.()));
    }
  }
}

interface OpenRange {
  readonly source: LogSource;
  readonly batches: AsyncIterator<LogBatch>;
  ended: boolean;
}

async function fill(range: OpenRange, merger: Merger, now: () => Now): Promise<PastBatch['gaps']> {
  const { source } = range;
  const gaps = [];
  while (!range.ended && merger.waitingOf(source.id) === 0) {
    const { done, value } = await range.batches.next();
    if (done === true) {
      range.ended = true;
      merger.end(source.id);
      break;
    }
    if (value.gap !== null) gaps.push({ source, reason: value.gap });
    merger.push(source.id, value.lines, now());
  }
  return gaps;
}

function open(
  store: LogStore,
  { source, until }: SourceEnd,
  from: ReadFrom,
  signal: AbortSignal,
): AsyncIterator<LogBatch> {
  const options = { from, follow: false, ...(until !== undefined && { until }) };
  return store.read(source, options, signal)[Symbol.asyncIterator]();
}

function* groupsOf(ends: readonly SourceEnd[]): Generator<readonly SourceEnd[]> {
  for (let from = 0; from < ends.length; from += SOURCES_MAX) yield ends.slice(from, from + SOURCES_MAX);
}
