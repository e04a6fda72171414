/**
 * Joins a feed: reads the past from the store up to the point where the feed is now, then moves the cursor
 * to that point. The feed continues there, so no line is lost or repeated.
 */
import type { Instant } from '../kernel/time.ts';
import {
  chooseStoredPast,
  findInBuffer,
  findRemovedSources,
  linesFrom,
  rangesFrom,
  type SourceEnd,
} from './choose-past.ts';
import type { Feed, FeedSnapshot } from './feed.ts';
import type { FeedCursor } from './feed-cursor.ts';
import { includesSource, type LogRequest } from './log-request.ts';
import { openPast, type PastTools, readRanges } from './read-past.ts';
import type { LogSource } from './source.ts';
import { writeOpening, writePast } from './write-line.ts';

/** A request, the feed that answers it and the cursor in that feed. */
export interface Subscription {
  readonly request: LogRequest;
  readonly feed: Feed;
  readonly cursor: FeedCursor;
  readonly since: Instant | null;
}

/** The first join. The store is read only if the buffer of the feed does not hold all of the past. */
export async function* joinFeed(
  { request, feed, cursor, since }: Subscription,
  tools: PastTools,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const sources = sourcesFor(request, feed);
  const now = feed.snapshot();
  const contents = { buffer: feed.buffer, sources: feed.sources, ends: now.ends };
  const removed = findRemovedSources(request, contents);
  const buffered = findInBuffer(request, contents, since);
  if (buffered !== null) {
    cursor.moveTo(buffered);
    yield writeOpening(request, { sources, removed }, (source) => cursor.positionOf(source));
    return;
  }
  // The store no longer has these.
  const removedLines = linesFrom(removed, feed.buffer);
  const past = await openPast(chooseStoredPast(request, endsOf(sources, now), since), tools, signal);
  yield writeOpening(request, { sources, removed }, past.positionOf);
  yield* writePast(past.batches, request.ids);
  yield* writePast([{ lines: removedLines, gaps: [] }], request.ids);
  if (!signal.aborted) moveTo(cursor, now);
}

/** Joins again after the next entry was evicted: reads the missed lines from the store. */
export async function* rejoinFeed(
  { request, feed, cursor }: Subscription,
  tools: PastTools,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const now = feed.snapshot();
  const ends = endsOf(sourcesFor(request, feed), now);
  const missed = rangesFrom(ends, (source) => cursor.positionOf(source));
  yield* writePast(readRanges(missed, tools, signal), request.ids);
  if (!signal.aborted) moveTo(cursor, now);
}

export function sourcesFor(request: LogRequest, feed: Feed): LogSource[] {
  return [...feed.sources.values()].filter((source) => includesSource(request, source));
}

/** Sources without a line in the feed are left out: all of their lines will come through the feed. */
function endsOf(sources: readonly LogSource[], { ends }: FeedSnapshot): SourceEnd[] {
  return sources.flatMap((source) => {
    const until = ends.get(source.id) ?? null;
    return until === null ? [] : [{ source, until }];
  });
}

function moveTo(cursor: FeedCursor, { seq, ends }: FeedSnapshot): void {
  cursor.moveTo({ seq, positions: ends, knownBefore: new Map() });
}
