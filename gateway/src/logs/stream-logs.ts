/**
 * Answers one log request with NDJSON text. In order: choose the past, read it, join the feed where the
 * past ends, follow, end. A slow reader slows the reading down; no line is skipped. `{"last":true}` is sent
 * only at the real end.
 */
import type { Instant } from '../kernel/time.ts';
import { chooseStoredPast } from './choose-past.ts';
import { FeedCursor } from './feed-cursor.ts';
import type { FeedHub } from './feed-hub.ts';
import { followFeed } from './follow-feed.ts';
import { joinFeed } from './join-feed.ts';
import { includesSource, type LogRequest } from './log-request.ts';
import { openPast, type PastTools } from './read-past.ts';
import type { LogSource, LogStore } from './source.ts';
import { END_LINE, writeLogEvent, writeOpening, writePast } from './write-line.ts';

export interface StreamTools extends PastTools {
  readonly hub: FeedHub;
}

export function streamLogs(
  request: LogRequest,
  tools: StreamTools,
  signal: AbortSignal,
): AsyncGenerator<string> {
  return request.follow ? streamFeed(request, tools, signal) : streamStored(request, tools, signal);
}

async function* streamStored(
  request: LogRequest,
  tools: StreamTools,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const all = await listSources(request.project, tools.store, signal);
  const sources = all.filter((source) => includesSource(request, source));
  const ends = sources.map((source) => ({ source, until: null }));
  const past = await openPast(chooseStoredPast(request, ends, sinceOf(request, tools)), tools, signal);
  yield writeOpening(request, { sources, removed: new Map() }, past.positionOf);
  yield* writePast(past.batches, request.ids);
  if (!signal.aborted) yield (request.ids ? writeLogEvent('caught_up') : '') + END_LINE;
}

async function* streamFeed(
  request: LogRequest,
  tools: StreamTools,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const feed = await tools.hub.take(request.project);
  const cursor = new FeedCursor(feed, tools.clock);
  const subscription = { request, feed, cursor, since: sinceOf(request, tools) };
  const joinedAt = feed.buffer.nextSeq;
  try {
    yield* joinFeed(subscription, tools, signal);
    yield* followFeed(subscription, joinedAt, tools, signal);
  } finally {
    cursor.leave();
    tools.hub.release(request.project);
  }
}

async function listSources(
  project: string,
  store: LogStore,
  signal: AbortSignal,
): Promise<readonly LogSource[]> {
  for await (const sources of store.discover(project, signal)) return sources;
  return [];
}

/** Lines before this moment are not wanted; null: no limit. */
function sinceOf({ sinceSeconds }: LogRequest, { clock }: StreamTools): Instant | null {
  return sinceSeconds === null ? null : clock.now() - sinceSeconds * 1000;
}
