/**
 * Decides where the answer to a log request starts: in the buffer of the feed if that holds everything the
 * request asks for, otherwise in the store. Pure.
 */
import { type LogTime, logTimeOf } from '../kernel/log-time.ts';
import type { Instant } from '../kernel/time.ts';
import type { FeedBuffer } from './feed-buffer.ts';
import { FIRST_POSITION, isUniversalPosition, readFromPosition, timePosition } from './line-position.ts';
import { includesSource, type LogRequest } from './log-request.ts';
import type { LogLine, LogSource, ReadFrom } from './source.ts';

/** Lines written within this time of each other may be out of order. */
const OUT_OF_ORDER_MS = 1_000;

/** A source and the position up to which it is read; null: to its end. */
export interface SourceEnd {
  readonly source: LogSource;
  readonly until: string | null;
}

/** One source, read between two positions. */
export interface PastRange extends SourceEnd {
  readonly from: ReadFrom;
}

/** The past that is read from the store: the last lines of all sources together, or each from a position. */
export type StoredPast =
  | {
      readonly kind: 'tail';
      readonly lines: number;
      readonly since: LogTime | null;
      readonly ends: readonly SourceEnd[];
    }
  | {
      readonly kind: 'ranges';
      readonly ranges: readonly PastRange[];
      /** The position before the first line of a source. */
      readonly positionOf: (source: string) => string;
    };

export function chooseStoredPast(
  request: LogRequest,
  ends: readonly SourceEnd[],
  since: Instant | null,
): StoredPast {
  if (request.tailLines !== null) {
    return {
      kind: 'tail',
      lines: request.tailLines,
      since: since === null ? null : logTimeOf(since),
      ends,
    };
  }
  const first = since === null ? FIRST_POSITION : timePosition(since);
  const positionOf = (source: string): string => request.after?.get(source) ?? first;
  return { kind: 'ranges', ranges: rangesFrom(ends, positionOf), positionOf };
}

/** A source that is already at its end has no range. */
export function rangesFrom(ends: readonly SourceEnd[], positionOf: (source: string) => string): PastRange[] {
  return ends.flatMap((end) => {
    const position = positionOf(end.source.id);
    return position === end.until ? [] : [{ ...end, from: readFromPosition(position) }];
  });
}

/** What a feed holds at one moment. */
export interface FeedContents {
  readonly buffer: FeedBuffer;
  readonly sources: ReadonlyMap<string, LogSource>;
  /** The position after the last line in the buffer; null: no line yet. */
  readonly ends: ReadonlyMap<string, string | null>;
}

/** The state of a cursor in a feed. */
export interface CursorState {
  /** The next entry to take. */
  readonly seq: number;
  /** The position before the next line of each source; null: before its first. */
  readonly positions: ReadonlyMap<string, string | null>;
  /** Entries of a source before this number were already sent to the client. */
  readonly knownBefore: ReadonlyMap<string, number>;
}

/** Null if the buffer does not hold everything that the request asks for. */
export function findInBuffer(
  request: LogRequest,
  feed: FeedContents,
  since: Instant | null,
): CursorState | null {
  const { buffer } = feed;
  const wanted = [...feed.sources.values()].filter((source) => includesSource(request, source));
  if (request.after !== null) {
    const found = findAfter(request.after, wanted, feed);
    const removed = findRemovedSources(request, feed);
    return found === null ? null : { ...found, knownBefore: new Map([...found.knownBefore, ...removed]) };
  }
  const complete = wanted.every(({ id }) => buffer.evictedPosition(id) === undefined);
  const seq =
    request.tailLines === null
      ? findSince(buffer, { complete, since })
      : findTail(request, request.tailLines, { buffer, complete });
  return seq === null ? null : { seq, positions: positionsAt(seq, feed), knownBefore: new Map() };
}

/** Everything, if nothing wanted was evicted or everything evicted is too old. */
function findSince(
  buffer: FeedBuffer,
  { complete, since }: { complete: boolean; since: Instant | null },
): number | null {
  const inOrder = since !== null && logTimeOf(since - OUT_OF_ORDER_MS) > buffer.evictedNewest;
  return complete || inOrder ? buffer.firstSeq : null;
}

function findTail(
  request: LogRequest,
  lines: number,
  { buffer, complete }: { buffer: FeedBuffer; complete: boolean },
): number | null {
  let missing = lines;
  for (let seq = buffer.nextSeq; ; seq--) {
    if (missing === 0) return seq;
    const entry = buffer.at(seq - 1);
    if (entry === undefined) return complete ? buffer.firstSeq : null;
    if (entry.kind === 'line' && includesSource(request, entry.line.source)) missing--;
  }
}

function findAfter(
  after: ReadonlyMap<string, string>,
  sources: readonly LogSource[],
  feed: FeedContents,
): CursorState | null {
  const { buffer, ends } = feed;
  const missing = new Map<string, string>();
  for (const { id } of sources) {
    const position = after.get(id) ?? FIRST_POSITION;
    if (position !== (buffer.evictedPosition(id) ?? FIRST_POSITION)) missing.set(id, position);
  }
  const knownBefore = new Map<string, number>();
  const inBuffer = new Set<string>();
  for (const { seq, line } of missing.size === 0 ? [] : linesOf(buffer)) {
    inBuffer.add(line.source.id);
    if (missing.get(line.source.id) !== line.position) continue;
    missing.delete(line.source.id);
    knownBefore.set(line.source.id, seq + 1);
    if (missing.size === 0) break;
  }
  // A source may also be at its end with no line in the buffer.
  for (const [id, position] of missing) if (inBuffer.has(id) || ends.get(id) !== position) return null;
  const positions = positionsAt(buffer.firstSeq, feed);
  for (const [id, position] of after) if (!isUniversalPosition(position)) positions.set(id, position);
  return { seq: buffer.firstSeq, positions, knownBefore };
}

/**
 * Sources that no longer exist, but whose last line sent to the client is still in the buffer: by source, the
 * number of the first entry that may be new. Only the buffer can tell that nothing of them is missing.
 */
export function findRemovedSources({ after }: LogRequest, feed: FeedContents): Map<string, number> {
  const removed = new Map([...(after ?? [])].filter(([id]) => !feed.sources.has(id)));
  const found = new Map<string, number>();
  if (removed.size === 0) return found;
  for (const { seq, line } of linesOf(feed.buffer))
    if (removed.get(line.source.id) === line.position) found.set(line.source.id, seq + 1);
  return found;
}

/** The lines of these sources in the buffer, from these entries on. */
export function linesFrom(starts: ReadonlyMap<string, number>, buffer: FeedBuffer): LogLine[] {
  if (starts.size === 0) return [];
  const isNew = (seq: number, source: string): boolean =>
    seq >= (starts.get(source) ?? Number.POSITIVE_INFINITY);
  return [...linesOf(buffer)].flatMap(({ seq, line }) => (isNew(seq, line.source.id) ? [line] : []));
}

function positionsAt(seq: number, { buffer, sources }: FeedContents): Map<string, string | null> {
  const positions = new Map<string, string | null>();
  for (const id of sources.keys()) positions.set(id, buffer.evictedPosition(id) ?? null);
  for (const entry of linesOf(buffer)) {
    if (entry.seq >= seq) break;
    positions.set(entry.line.source.id, entry.line.position);
  }
  return positions;
}

function* linesOf(buffer: FeedBuffer): Generator<{ seq: number; line: LogLine }> {
  for (let seq = buffer.firstSeq; seq < buffer.nextSeq; seq++) {
    const entry = buffer.at(seq);
    if (entry?.kind === 'line') yield { seq, line: entry.line };
  }
}
