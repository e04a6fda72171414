/** Sends text that comes piece by piece, no faster than it is taken. */
import type { ServerResponse } from 'node:http';
import type { Clock } from '../kernel/time.ts';
import type { Exchange } from './exchange.ts';

/** Whoever takes nothing for this long is let go; it comes back and goes on where it was. */
export const HELD_MS_MAX = 5 * 60_000;
/** Written and not yet taken: the next piece waits. A piece is never this large. */
const HELD_BYTES_MAX = 1024 * 1024;

export interface TextStream {
  readonly contentType: string;
  readonly pieces: AsyncGenerator<string>;
  readonly clock: Clock;
  /** The stream is no longer wanted: stopped, or not allowed any more. */
  readonly signal: AbortSignal;
}

/** True when it was sent to its end; false when somebody left or was let go. */
export async function sendText(exchange: Exchange, stream: TextStream): Promise<boolean> {
  const { response } = exchange;
  const { pieces, signal } = stream;
  // Proxies that buffer or rewrite would hold lines back.
  const own = { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' };
  response.writeHead(200, exchange.headers(stream.contentType, own));
  // Also where the first line is yet to be written, the client is told that it is connected.
  response.flushHeaders();
  exchange.ownFail = () => void response.end();
  try {
    if (exchange.request.method === 'HEAD') return true;
    for await (const piece of pieces) {
      if (response.destroyed) return false;
      if (piece !== '') response.write(piece);
      if (response.writableLength >= HELD_BYTES_MAX || response.writableNeedDrain) {
        if (!(await drained(exchange, stream.clock, signal))) return false;
      }
      if (signal.aborted) return false;
    }
    return !signal.aborted;
  } finally {
    // An end without a last line says to a client that it should come back.
    if (!response.destroyed) endSoon(response, stream.clock);
  }
}

/** Also the last bytes are held only so long for whoever does not take them. */
function endSoon(response: ServerResponse, clock: Clock): void {
  response.end();
  if (!response.writableFinished)
    response.on(
      'close',
      clock.after(HELD_MS_MAX, () => response.destroy()),
    );
}

/** False when it took too long, or is no longer wanted: what nobody takes must not hold up a stop. */
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
    const cancel = clock.after(HELD_MS_MAX, letGo);
    response.on('drain', onDrain);
    response.on('close', onGone);
    signal.addEventListener('abort', letGo);
    if (response.destroyed) done(false);
    else if (signal.aborted) letGo();
  });
}
