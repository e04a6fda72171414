/**
 * A request for logs, answered as NDJSON text, piece by piece as it is taken: whoever takes slowly makes
 * the reading wait, and no line is left out. `{"last":true}` stands at the end only where it is the end.
 */
import { logTimeOf } from '../kernel/log-time.ts';
import type { Clock } from '../kernel/time.ts';
import type { Feed } from './feed.ts';
import { FeedCursor } from './feed-cursor.ts';
import type { FeedHub } from './feed-hub.ts';
import { type LogRequest, wants } from './log-request.ts';
import { type Gap, type HistoryPart, readHistory, readTail } from './read-history.ts';
import type { LogLine, LogSource, LogStore, ReadFrom } from './source.ts';
import { END_LINE, writeEntry, writeEvent, writeGap, writeLine, writePod } from './write-line.ts';

export interface StreamTools {
  readonly store: LogStore;
  readonly hub: FeedHub;
  readonly clock: Clock;
}

/** Gathered before it is handed on. */
const PIECE_CHARACTERS = 64 * 1024;
/** Without heartbeats: how long to sleep when nothing happens. */
const IDLE_MS = 60_000;

export async function* streamLogs(
  request: LogRequest,
  tools: StreamTools,
  signal: AbortSignal,
): AsyncGenerator<string> {
  if (!request.follow) {
    yield* readPast(request, tools, signal);
    return;
  }
  const feed = await tools.hub.take(request.project);
  const cursor = new FeedCursor(feed, tools.clock);
  try {
    yield* followFeed(request, feed, cursor, tools, signal);
  } finally {
    cursor.leave();
    tools.hub.release(request.project);
  }
}

async function* readPast(
  request: LogRequest,
  tools: StreamTools,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const sources = await listSources(request.project, tools.store, signal);
  const wanted = sources.filter((source) => wants(request, source));
  if (request.ids) yield wanted.map((source) => writePod(source, stateOf(source))).join('');
  yield* goneSources(request, wanted);
  const parts = wanted.map((source) => ({ source, until: null }));
  yield* readBefore(request, parts, tools, signal);
  if (!signal.aborted) yield (request.ids ? writeEvent('caught_up') : '') + END_LINE;
}

async function* followFeed(
  request: LogRequest,
  feed: Feed,
  cursor: FeedCursor,
  tools: StreamTools,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const wanted = [...feed.sources.values()].filter((source) => wants(request, source));
  if (request.ids) yield wanted.map((source) => writePod(source, stateOf(source))).join('');
  yield* goneSources(request, wanted);
  const since = sinceOf(request, tools.clock);
  const joinedAt = feed.ring.nextSeq;
  if (!cursor.begin(request, since)) yield* catchUp(request, cursor, tools, signal, true);
  const heartbeatMs = (request.heartbeatSeconds ?? 0) * 1000;
  let [caughtUp, seen, sentMs] = [false, false, tools.clock.elapsedMs()];
  while (!signal.aborted && !feed.stopped) {
    if (cursor.fellBehind) yield* catchUp(request, cursor, tools, signal, false);
    const piece = takePiece(request, cursor, { since, joinedAt });
    if (piece !== '') yield piece;
    if (piece !== '') sentMs = tools.clock.elapsedMs();
    if (!cursor.atEnd) continue;
    if (!caughtUp && request.ids) yield writeEvent('caught_up');
    caughtUp = true;
    const own = [...feed.sources.values()].filter((source) => wants(request, source));
    seen ||= own.length > 0;
    // Of one pod the end can be known; of a project not, because pods may join.
    if (request.podName !== null && seen && own.every((source) => source.ended)) {
      yield END_LINE;
      return;
    }
    const quietMs = tools.clock.elapsedMs() - sentMs;
    if (heartbeatMs > 0 && quietMs >= heartbeatMs) {
      yield writeEvent('heartbeat');
      sentMs = tools.clock.elapsedMs();
    } else await cursor.wait(heartbeatMs > 0 ? heartbeatMs - quietMs : IDLE_MS, signal);
  }
}

function takePiece(
  request: LogRequest,
  cursor: FeedCursor,
  start: { since: string | null; joinedAt: number },
): string {
  let piece = '';
  while (piece.length < PIECE_CHARACTERS) {
    const seq = cursor.seq;
    const entry = cursor.take();
    if (entry === null) break;
    const source = entry.kind === 'line' ? entry.line.source : entry.source;
    if (!wants(request, source)) continue;
    // What was there before: older lines are not wanted, and pods were told of already.
    if (seq < start.joinedAt) {
      if (entry.kind === 'pod') continue;
      if (entry.kind === 'line' && start.since !== null && entry.line.time < start.since) continue;
    }
    piece += writeEntry(entry, request.ids);
  }
  return piece;
}

/** Reads for itself up to where the feed is now, and goes on from there. */
async function* catchUp(
  request: LogRequest,
  cursor: FeedCursor,
  tools: StreamTools,
  signal: AbortSignal,
  first: boolean,
): AsyncGenerator<string> {
  const { parts, positions, accept } = cursor.partsUpToNow((source) => wants(request, source));
  if (first) yield* readBefore(request, parts, tools, signal);
  else {
    const resumed = parts.flatMap(({ source, until }): HistoryPart[] => {
      const position = positions.get(source.id) ?? null;
      if (position === until) return [];
      return [{ source, until, from: position === null ? { kind: 'start' } : { kind: 'after', position } }];
    });
    yield* writeHistory(readHistory(resumed, tools, signal), request.ids);
  }
  if (!signal.aborted) accept();
}

/** The past that the request asks for, up to where each part is wanted. */
async function* readBefore(
  request: LogRequest,
  parts: ReadonlyArray<{ source: LogSource; until: string | null }>,
  tools: StreamTools,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const since = sinceOf(request, tools.clock);
  if (request.tailLines !== null) {
    const { lines, gaps } = await readTail(parts, request.tailLines, tools, signal);
    const kept = since === null ? lines : lines.filter(({ time }) => time >= since);
    yield* writeHistory([{ lines: kept, gaps }], request.ids);
    return;
  }
  const { after } = request;
  const begun = parts.flatMap((part): HistoryPart[] => {
    const position = after?.get(part.source.id);
    if (position !== undefined && position === part.until) return [];
    const from: ReadFrom =
      position !== undefined
        ? { kind: 'after', position }
        : since === null
          ? { kind: 'start' }
          : { kind: 'since', time: since };
    return [{ ...part, from }];
  });
  yield* writeHistory(readHistory(begun, tools, signal), request.ids);
}

async function* writeHistory(
  batches: AsyncIterable<Batch> | Iterable<Batch>,
  ids: boolean,
): AsyncGenerator<string> {
  for await (const { lines, gaps } of batches) {
    let piece = ids ? gaps.map(({ source, reason }) => writeGap(source, reason)).join('') : '';
    for (const line of lines) {
      piece += writeLine(line, ids);
      if (piece.length < PIECE_CHARACTERS) continue;
      yield piece;
      piece = '';
    }
    if (piece !== '') yield piece;
  }
}

interface Batch {
  readonly lines: readonly LogLine[];
  readonly gaps: readonly Gap[];
}

/** The client knows sources that are no longer here: it may have missed their last lines. */
function* goneSources(request: LogRequest, sources: readonly LogSource[]): Generator<string> {
  if (request.after === null || !request.ids) return;
  const here = new Set(sources.map(({ id }) => id));
  for (const id of request.after.keys()) {
    if (!here.has(id)) yield writeEvent('gap', { source: id, reason: 'the container is gone' });
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

function sinceOf({ sinceSeconds }: LogRequest, clock: Clock): string | null {
  return sinceSeconds === null ? null : logTimeOf(clock.now() - sinceSeconds * 1000);
}

function stateOf(source: LogSource): 'running' | 'ended' {
  return source.ended ? 'ended' : 'running';
}
