/** Finds the past that a request wants in the buffer of a feed: the same places that a store would start at. Pure. */
import { logTimeOf } from '../kernel/log-time.ts';
import type { FeedBuffer, FeedPlace } from './feed-buffer.ts';
import { FIRST_POSITION } from './line-position.ts';
import { includesSource, type LogRequest, type WantedPast } from './log-request.ts';
import type { LogLine, LogSource } from './source.ts';

/** Lines written within this time of each other may be out of order. */
const OUT_OF_ORDER_MS = 1_000;

/** What a feed holds at one moment. */
export interface FeedContents {
  readonly buffer: FeedBuffer;
  readonly sources: ReadonlyMap<string, LogSource>;
}

/** Null if the buffer does not hold everything that the request wants. */
export function findInBuffer(request: LogRequest, past: WantedPast, feed: FeedContents): FeedPlace | null {
  const { buffer } = feed;
  const sources = sourcesFor(request, feed);
  if (past.lastLines !== null) {
    const complete = sources.every(({ id }) => buffer.evictedPosition(id) === undefined);
    const seq = findTail(request, past.lastLines, buffer) ?? (complete ? buffer.firstSeq : null);
    return seq === null ? null : placeAt(seq, new Map(), feed);
  }
  const starts = findPositions(past, sources, buffer);
  if (starts === null) return null;
  return placeAt(buffer.firstSeq, new Map([...starts, ...findRemovedSources(request, feed)]), feed);
}

export function sourcesFor(request: LogRequest, { sources }: Pick<FeedContents, 'sources'>): LogSource[] {
  return [...sources.values()].filter((source) => includesSource(request, source));
}

/** Null: there are fewer lines. */
function findTail(request: LogRequest, lines: number, buffer: FeedBuffer): number | null {
  let missing = lines;
  for (let seq = buffer.nextSeq; ; seq--) {
    if (missing === 0) return seq;
    const entry = buffer.at(seq - 1);
    if (entry === undefined) return null;
    if (entry.kind === 'line' && includesSource(request, entry.line.source)) missing--;
  }
}

/** By source, the first wanted entry, if lines before it are in the buffer; null: lines before the buffer are wanted. */
function findPositions(
  { since, positionOf }: WantedPast,
  sources: readonly LogSource[],
  buffer: FeedBuffer,
): Map<string, number> | null {
  const evictedAreOld = since !== null && logTimeOf(since - OUT_OF_ORDER_MS) > buffer.evictedNewest;
  const missing = new Map<string, string>();
  for (const { id } of sources) {
    const evicted = buffer.evictedPosition(id);
    const fromFirst =
      since === null
        ? positionOf(id) === (evicted ?? FIRST_POSITION)
        : evictedAreOld || evicted === undefined;
    if (!fromFirst) missing.set(id, positionOf(id));
  }
  const starts = entriesAfter(missing, buffer);
  return starts.size === missing.size ? starts : null;
}

/**
 * Sources that no longer exist, but whose last line sent to the client is still in the buffer: by source, the
 * number of the first entry that may be new. Only the buffer can tell that nothing of them is missing.
 */
export function findRemovedSources({ after }: LogRequest, feed: FeedContents): Map<string, number> {
  return entriesAfter(new Map([...(after ?? [])].filter(([id]) => !feed.sources.has(id))), feed.buffer);
}

/** The lines of these sources in the buffer, from these entries on. */
export function linesFrom(starts: ReadonlyMap<string, number>, buffer: FeedBuffer): LogLine[] {
  if (starts.size === 0) return [];
  const isNew = (seq: number, source: string): boolean =>
    seq >= (starts.get(source) ?? Number.POSITIVE_INFINITY);
  return [...buffer.lines()].flatMap(({ seq, line }) => (isNew(seq, line.source.id) ? [line] : []));
}

/** By source, the number after the entry with the line at this position. */
function entriesAfter(positions: ReadonlyMap<string, string>, buffer: FeedBuffer): Map<string, number> {
  const found = new Map<string, number>();
  for (const { seq, line } of positions.size === 0 ? [] : buffer.lines())
    if (positions.get(line.source.id) === line.position) found.set(line.source.id, seq + 1);
  return found;
}

function placeAt(seq: number, starts: ReadonlyMap<string, number>, feed: FeedContents): FeedPlace {
  const positions = new Map<string, string>();
  for (const id of feed.sources.keys()) positions.set(id, feed.buffer.evictedPosition(id) ?? FIRST_POSITION);
  for (const entry of feed.buffer.lines()) {
    const { source, position } = entry.line;
    if (entry.seq < Math.max(seq, starts.get(source.id) ?? 0)) positions.set(source.id, position);
  }
  return { seq, positions, starts };
}
