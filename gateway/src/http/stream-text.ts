/** Streams text, no faster than the caller reads it. */
import type { EdgeResponse } from '../edge/edge-response.ts';
import type { Clock } from '../kernel/time.ts';
import type { Exchange } from './exchange.ts';

/** A client that reads nothing for this long is disconnected; it can reconnect and resume. */
export const STALLED_MS_MAX = 5 * 60_000;
/** Written but not yet sent; above this the next piece waits. A piece is never this large. */
const UNSENT_BYTES_MAX = 1024 * 1024;

export interface TextStream {
  readonly contentType: string;
  readonly pieces: AsyncGenerator<string>;
  readonly clock: Clock;
  /** Aborted when the server stops or access is revoked. */
  readonly signal: AbortSignal;
}

/** True if the stream was sent completely; false if the client disconnected or was disconnected. */
export async function sendText(exchange: Exchange, stream: TextStream): Promise<boolean> {
  const { response } = exchange;
  const { pieces, signal } = stream;
  // Proxies that buffer or rewrite would delay lines.
  const own = { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' };
  response.writeHead(200, exchange.headers(stream.contentType, own));
  // Tells the client that it is connected, even if there is no line yet.
  response.flushHeaders();
  exchange.failInOwnFormat = () => void response.end();
  try {
    if (exchange.request.method === 'HEAD') return true;
    for await (const piece of pieces) {
      if (response.destroyed) return false;
      if (piece !== '') response.write(piece);
      if (response.writableLength >= UNSENT_BYTES_MAX || response.writableNeedDrain) {
        if (!(await drained(exchange, stream.clock, signal))) return false;
      }
      if (signal.aborted) return false;
    }
    return !signal.aborted;
  } finally {
    // An end without a last line tells a client to reconnect.
    if (!response.destroyed) endSoon(response, stream.clock);
  }
}

/** A client that does not read the last bytes is disconnected too. */
function endSoon(response: EdgeResponse, clock: Clock): void {
  response.end();
  if (!response.writableFinished)
    response.on(
      'close',
      clock.after(STALLED_MS_MAX, () => response.destroy()),
    );
}

/** False if it took too long or was aborted, so that a stalled client cannot delay a stop. */
function drained(exchange: Exchange, clock: Clock, signal: AbortSignal): Promise<boolean> {
  const { response } = exchange;
  return new Promise((resolve) => {
    const done = (taken: boolean): void => {
      cancel();
      response.off('drain', onDrain);
      response.off('close', onGone);
      signal.removeEventListener('abort', letGo);
      resolve(taken);
    };
    const onDrain = (): void => done(true);
    const onGone = (): void => done(false);
    const letGo = (): void => {
      done(false);
      response.destroy();
    };
    const cancel = clock.after(STALLED_MS_MAX, letGo);
    response.on('drain', onDrain);
    response.on('close', onGone);
    signal.addEventListener('abort', letGo);
    if (response.destroyed) done(false);
    else if (signal.aborted) letGo();
  });
}
