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
  /** Of tails: by source, the place before the first line; null: that is the first of the source. */
  readonly befores: ReadonlyMap<string, string | null>;
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

/** The last lines of all sources together. */
export async function readTail(
  sources: ReadonlyArray<{ source: LogSource; until: string | null }>,
  lines: number,
  tools: HistoryTools,
  signal: AbortSignal,
): Promise<HistoryBatch> {
  const bytesMax = Math.max(TAIL_SOURCE_BYTES_MIN, TAIL_BYTES_MAX / Math.max(1, sources.length));
  const from: ReadFrom = { kind: 'tail', lines, bytesMax };
  const kept: LogLine[] = [];
  const gaps: Gap[] = [];
  const befores = new Map<string, string | null>();
  const parts = sources.map((part) => ({ ...part, from }));
  const trim = (): void => {
    for (const { source, position } of kept.splice(0, Math.max(0, kept.length - lines)))
      befores.set(source.id, position);
  };
  for await (const batch of readHistory(parts, tools, signal)) {
    for (const [source, before] of batch.befores) befores.set(source, before);
    for (const line of batch.lines) kept.push(line);
    gaps.push(...batch.gaps);
    if (kept.length > 2 * lines) trim();
  }
  trim();
  return { lines: kept, gaps, befores };
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
      const befores = new Map<string, string | null>();
      const gaps = (await Promise.all(open.map((part) => fill(part, merger, now, befores)))).flat();
      const done = open.every((part) => part.over);
      const lines = merger.take(now(), { all: done });
      if (lines.length > 0 || gaps.length > 0 || befores.size > 0) yield { lines, gaps, befores };
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
  befores: Map<string, string | null>,
): Promise<Gap[]> {
  const gaps: Gap[] = [];
  while (!part.over && merger.waitingOf(part.id) === 0) {
    const { done, value } = await part.batches.next();
    if (done === true) {
      part.over = true;
      merger.end(part.id);
      break;
    }
    if (value.before !== undefined) befores.set(part.id, value.before);
    if (value.gap !== null) gaps.push({ source: part.source, reason: value.gap });
    merger.push(part.id, value.lines, now());
  }
  return gaps;
}
