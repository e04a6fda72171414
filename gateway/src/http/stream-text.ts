/** Streams text, no faster than the caller reads it. */
import type { EdgeResponse } from '../edge/edge-response.ts';
import type { Exchange } from './exchange.ts';

/** Written but not yet sent; above this the next piece waits. A piece is never this large. */
const UNSENT_BYTES_MAX = 1024 * 1024;

export interface TextStream {
  readonly contentType: string;
  readonly pieces: AsyncGenerator<string>;
  /** It may go on without end. A client that was disconnected because it did not read can reconnect and resume. */
  readonly endless: boolean;
  /** Aborted when the server stops or access is revoked. */
  readonly signal: AbortSignal;
}

/** True if the stream was sent completely; false if the client disconnected or was disconnected. */
export async function sendText(exchange: Exchange, stream: TextStream): Promise<boolean> {
  const { response } = exchange;
  const { pieces, signal } = stream;
  // Proxies that buffer or rewrite would delay lines.
  const own = { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' };
  if (stream.endless) response.becomeStream();
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
        if (!(await drained(response, signal))) return false;
      }
      if (signal.aborted) return false;
    }
    return !signal.aborted;
  } finally {
    // An end without a last line tells a client to reconnect.
    response.end();
  }
}

/** False if the client has left, or it was aborted: a client that does not read cannot delay a stop. */
function drained(response: EdgeResponse, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const done = (taken: boolean): void => {
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
    response.on('drain', onDrain);
    response.on('close', onGone);
    signal.addEventListener('abort', letGo);
    if (response.destroyed) done(false);
    else if (signal.aborted) letGo();
  });
}
