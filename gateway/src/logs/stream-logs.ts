/**
 * Answers one log request with NDJSON text, in order: what is wanted of the past, where to find it, the past itself,
 * then the feed from there on until the end. A slow reader slows the reading down; no line is skipped.
 * `{"last":true}` is sent only at the real end.
 */
import { logTimeOf } from '../kernel/log-time.ts';
import type { Feed } from './feed.ts';
import type { FeedPlace } from './feed-buffer.ts';
import { FeedCursor } from './feed-cursor.ts';
import type { FeedHub } from './feed-hub.ts';
import { findInBuffer, findRemovedSources, linesFrom, sourcesFor } from './find-in-buffer.ts';
import { includesSource, type LogRequest, type WantedPast, wantedPast } from './log-request.ts';
import { openPast, type PastTools, readFrom, type SourceEnd } from './read-past.ts';
import type { LogSource, LogStore } from './source.ts';
import {
  END_LINE,
  PIECE_CHARACTERS,
  writeEntry,
  writeLogEvent,
  writeOpening,
  writePast,
} from './write-line.ts';

export interface StreamTools extends PastTools {
  readonly hub: FeedHub;
}

/** How long to wait for the next entry when no heartbeat is due. */
const IDLE_MS = 60_000;

export function streamLogs(
  request: LogRequest,
  tools: StreamTools,
  signal: AbortSignal,
): AsyncGenerator<string> {
  return request.follow ? streamFeed(request, tools, signal) : streamStored(request, tools, signal);
}

/** Without a feed: everything that the store has. */
async function* streamStored(
  request: LogRequest,
  tools: StreamTools,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const all = await listSources(request.project, tools.store, signal);
  const sources = all.filter((source) => includesSource(request, source));
  const ends = sources.map((source) => ({ source, until: undefined }));
  const past = await openPast(wantedPast(request, tools.clock.now()), ends, tools, signal);
  yield writeOpening(request, { sources, removed: new Map() }, past.positionOf);
  yield* writePast(past.batches, request.ids);
  if (!signal.aborted) yield (request.ids ? writeLogEvent('caught_up') : '') + END_LINE;
}

/** A request, what it wants of the past, the feed that answers it and the cursor in that feed. */
interface Subscription {
  readonly request: LogRequest;
  readonly past: WantedPast;
  readonly feed: Feed;
  readonly cursor: FeedCursor;
}

async function* streamFeed(
  request: LogRequest,
  tools: StreamTools,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const feed = await tools.hub.take(request.project);
  const cursor = new FeedCursor(feed, tools.clock);
  const past = wantedPast(request, tools.clock.now());
  const joinedAt = feed.buffer.nextSeq;
  try {
    yield* joinFeed({ request, past, feed, cursor }, tools, signal);
    yield* followFeed({ request, past, feed, cursor }, joinedAt, tools, signal);
  } finally {
    cursor.leave();
    tools.hub.release(request.project);
  }
}

/**
 * The past is in the buffer of the feed, or it is read from the store up to the end of the feed. The cursor continues
 * there, so no line is lost or repeated.
 */
async function* joinFeed(
  { request, past, feed, cursor }: Subscription,
  tools: PastTools,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const sources = sourcesFor(request, feed);
  const removed = findRemovedSources(request, feed);
  const buffered = findInBuffer(request, past, feed);
  if (buffered !== null) {
    cursor.moveTo(buffered);
    yield writeOpening(request, { sources, removed }, cursor.positionOf);
    return;
  }
  const end = feed.buffer.end();
  // The store no longer has these.
  const removedLines = linesFrom(removed, feed.buffer);
  const stored = await openPast(past, endsOf(sources, end), tools, signal);
  yield writeOpening(request, { sources, removed }, stored.positionOf);
  yield* writePast(stored.batches, request.ids);
  yield* writePast([{ lines: removedLines, gaps: [] }], request.ids);
  if (!signal.aborted) cursor.moveTo(end);
}

/** Sends entries as they arrive, until the pod ends or the client leaves. Those before `joinedAt` are the past. */
async function* followFeed(
  subscription: Subscription,
  joinedAt: number,
  tools: PastTools,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { request, feed, cursor } = subscription;
  const { clock } = tools;
  const heartbeatMs = (request.heartbeatSeconds ?? 0) * 1000;
  let [caughtUp, sourceSeen, sentMs] = [false, false, clock.elapsedMs()];
  while (!signal.aborted && !feed.stopped) {
    if (cursor.fellBehind) yield* catchUp(subscription, tools, signal);
    const piece = takePiece(subscription, joinedAt);
    if (piece !== '') {
      yield piece;
      sentMs = clock.elapsedMs();
    }
    if (!cursor.atEnd) continue;
    if (!caughtUp && request.ids) yield writeLogEvent('caught_up');
    caughtUp = true;
    const sources = sourcesFor(request, feed);
    sourceSeen ||= sources.length > 0;
    // One pod can end; a project cannot, because pods may join.
    if (request.podName !== null && sourceSeen && sources.every((source) => source.ended)) {
      yield END_LINE;
      return;
    }
    const quietMs = clock.elapsedMs() - sentMs;
    if (heartbeatMs > 0 && quietMs >= heartbeatMs) {
      yield writeLogEvent('heartbeat');
      sentMs = clock.elapsedMs();
    } else await cursor.changed.wait(heartbeatMs > 0 ? heartbeatMs - quietMs : IDLE_MS, signal);
  }
}

/** The next entry was evicted: the missed lines are read from the store. */
async function* catchUp(
  { request, feed, cursor }: Subscription,
  tools: PastTools,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const end = feed.buffer.end();
  const ends = endsOf(sourcesFor(request, feed), end);
  yield* writePast(readFrom(cursor.positionOf, ends, tools, signal), request.ids);
  if (!signal.aborted) cursor.moveTo(end);
}

function takePiece({ request, past, cursor }: Subscription, joinedAt: number): string {
  const first = past.since === null ? '' : logTimeOf(past.since);
  let piece = '';
  while (piece.length < PIECE_CHARACTERS) {
    const { seq } = cursor;
    const entry = cursor.take();
    if (entry === null) break;
    const { source } = entry.kind === 'line' ? entry.line : entry;
    if (!includesSource(request, source)) continue;
    // The opening already named these pods, and older lines are not wanted.
    if (seq < joinedAt) {
      if (entry.kind === 'pod') continue;
      if (entry.kind === 'line' && entry.line.time < first) continue;
    }
    piece += writeEntry(entry, request.ids);
  }
  return piece;
}

/** Sources without a line in the feed are left out: all of their lines will come through the feed. */
function endsOf(sources: readonly LogSource[], { positions }: FeedPlace): SourceEnd[] {
  return sources.flatMap((source) => {
    const until = positions.get(source.id);
    return until === undefined ? [] : [{ source, until }];
  });
}

async function listSources(
  project: string,
  store: LogStore,
  signal: AbortSignal,
): Promise<readonly LogSource[]> {
  for await (const sources of store.discover(project, signal)) return sources;
  return [];
}
