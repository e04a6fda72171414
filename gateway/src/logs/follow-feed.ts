/** Sends the entries of a feed as they arrive, until the pod ends or the client leaves. */
import { logTimeOf } from '../kernel/log-time.ts';
import { rejoinFeed, type Subscription, sourcesFor } from './join-feed.ts';
import { includesSource } from './log-request.ts';
import type { PastTools } from './read-past.ts';
import { END_LINE, PIECE_CHARACTERS, writeEntry, writeLogEvent } from './write-line.ts';

/** How long to wait for the next entry when no heartbeat is due. */
const IDLE_MS = 60_000;

/** Entries before `joinedAt` were in the buffer when the client joined. */
export async function* followFeed(
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
    if (cursor.fellBehind) yield* rejoinFeed(subscription, tools, signal);
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
    } else await cursor.wait(heartbeatMs > 0 ? heartbeatMs - quietMs : IDLE_MS, signal);
  }
}

function takePiece({ request, cursor, since }: Subscription, joinedAt: number): string {
  const sinceTime = since === null ? null : logTimeOf(since);
  let piece = '';
  while (piece.length < PIECE_CHARACTERS) {
    const { seq } = cursor;
    const entry = cursor.take();
    if (entry === null) break;
    const source = entry.kind === 'line' ? entry.line.source : entry.source;
    if (!includesSource(request, source)) continue;
    // The opening already named these pods, and older lines are not wanted.
    if (seq < joinedAt) {
      if (entry.kind === 'pod') continue;
      if (entry.kind === 'line' && sinceTime !== null && entry.line.time < sinceTime) continue;
    }
    piece += writeEntry(entry, request.ids);
  }
  return piece;
}
