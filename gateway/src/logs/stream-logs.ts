/**
 * A request for logs, answered as NDJSON text, piece by piece as it is taken: whoever takes slowly makes
 * the reading wait, and no line is left out. `{"last":true}` stands at the end only where it is the end.
 */
import { logTimeOf } from '../kernel/log-time.ts';
import type { Clock } from '../kernel/time.ts';
import type { Feed } from './feed.ts';
import { FeedCursor } from './feed-cursor.ts';
import type { FeedHub } from './feed-hub.ts';
import { FIRST_PLACE, type LogRequest, readFromPlace, timePlace, wants } from './log-request.ts';
import { type Gap, type HistoryPart, readHistory, readTail } from './read-history.ts';
import type { LogLine, LogSource, LogStore } from './source.ts';
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
  const past = await openPast(
    request,
    wanted.map((source) => ({ source, until: null })),
    tools,
    signal,
  );
  yield* writeOpening(request, wanted, past.placeOf);
  yield* past.pieces;
  if (!signal.aborted) yield (request.ids ? writeEvent('caught_up') : '') + END_LINE;
}

/** The pods there are, and those the client knows that are no longer here: it may have missed lines of them. */
function* writeOpening(
  request: LogRequest,
  sources: readonly LogSource[],
  placeOf: (source: string) => string,
): Generator<string> {
  if (!request.ids) return;
  const here = new Set(sources.map(({ id }) => id));
  const gone = [...(request.after?.keys() ?? [])].filter((id) => !here.has(id));
  const pods = sources.map((source) =>
    writePod(source, source.ended ? 'ended' : 'running', placeOf(source.id)),
  );
  const gaps = gone.map((source) => writeEvent('gap', { source, reason: 'the container is gone' }));
  yield [...pods, ...gaps].join('');
}

async function* followFeed(
  request: LogRequest,
  feed: Feed,
  cursor: FeedCursor,
  tools: StreamTools,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const wanted = [...feed.sources.values()].filter((source) => wants(request, source));
  const since = sinceOf(request, tools.clock);
  const joinedAt = feed.ring.nextSeq;
  if (cursor.begin(request, since)) yield* writeOpening(request, wanted, (id) => cursor.placeOf(id));
  else {
    const { parts, accept } = cursor.partsUpToNow((source) => wants(request, source));
    const past = await openPast(request, parts, tools, signal);
    yield* writeOpening(request, wanted, past.placeOf);
    yield* past.pieces;
    if (!signal.aborted) accept();
  }
  const heartbeatMs = (request.heartbeatSeconds ?? 0) * 1000;
  let [caughtUp, seen, sentMs] = [false, false, tools.clock.elapsedMs()];
  while (!signal.aborted && !feed.stopped) {
    if (cursor.fellBehind) yield* catchUp(request, cursor, tools, signal);
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

/** Fell behind what the feed holds: reads for itself up to where that is now, and goes on from there. */
async function* catchUp(
  request: LogRequest,
  cursor: FeedCursor,
  tools: StreamTools,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { parts, accept } = cursor.partsUpToNow((source) => wants(request, source));
  const missed = parts.flatMap(({ source, until }): HistoryPart[] => {
    const place = cursor.placeOf(source.id);
    return place === until ? [] : [{ source, until, from: readFromPlace(place) }];
  });
  yield* writeHistory(readHistory(missed, tools, signal), request.ids);
  if (!signal.aborted) accept();
}

interface Past {
  /** The place before the first line that comes of a source. */
  readonly placeOf: (source: string) => string;
  readonly pieces: AsyncGenerator<string>;
}

/** The past that the request asks for, up to where each part is wanted. */
async function openPast(
  request: LogRequest,
  parts: ReadonlyArray<{ source: LogSource; until: string | null }>,
  tools: StreamTools,
  signal: AbortSignal,
): Promise<Past> {
  const since = sinceOf(request, tools.clock);
  if (request.tailLines !== null) {
    const tail = await readTail(parts, request.tailLines, tools, signal);
    const lines = since === null ? tail.lines : tail.lines.filter(({ time }) => time >= since);
    return {
      placeOf: (id) => tail.befores.get(id) ?? FIRST_PLACE,
      pieces: writeHistory([{ lines, gaps: tail.gaps }], request.ids),
    };
  }
  const place =
    request.sinceSeconds === null ? FIRST_PLACE : timePlace(tools.clock.now() - request.sinceSeconds * 1000);
  const placeOf = (id: string): string => request.after?.get(id) ?? place;
  const begun = parts.flatMap((part): HistoryPart[] => {
    const from = placeOf(part.source.id);
    return from === part.until ? [] : [{ ...part, from: readFromPlace(from) }];
  });
  return { placeOf, pieces: writeHistory(readHistory(begun, tools, signal), request.ids) };
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
