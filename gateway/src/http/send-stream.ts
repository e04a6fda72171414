/** Answers with a stream of bytes, no faster than the caller reads them. */
import type { Readable } from 'node:stream';
import type { EdgeResponse } from '../edge/edge-response.ts';
import type { Exchange } from './exchange.ts';

export interface StreamedBody {
  /** Default: 200. */
  readonly status?: number;
  readonly contentType: string;
  readonly bytes: number | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Counts it as open, or throws. Returns what to call at its end. Not called for HEAD, nor is `open`. */
  enter(): () => void;
  open(): Promise<Readable>;
}

export async function sendStream(exchange: Exchange, body: StreamedBody): Promise<void> {
  const { request, response } = exchange;
  if (exchange.stopped !== null) throw exchange.stopped;
  const isHead = request.method === 'HEAD';
  if (!isHead) exchange.onOver(body.enter());
  const stream = isHead ? null : await body.open();
  const head = exchange.headers(body.contentType, body.headers);
  if (body.bytes !== null) head.push('content-length', String(body.bytes));
  response.writeHead(body.status ?? 200, head);
  if (stream === null) {
    response.end();
    return;
  }
  // The status has been sent: an error can only cut the body off.
  exchange.failInOwnFormat = () => void response.destroy();
  exchange.onStop(() => response.destroy());
  const stop = (): void => void stream.destroy();
  response.on('close', stop);
  try {
    for await (const chunk of stream) if (!response.write(chunk as Buffer)) await hasRoom(response);
    response.end();
  } catch (error) {
    // A caller that disconnected is not an error.
    if (!response.destroyed) throw error;
  } finally {
    response.off('close', stop);
  }
}

/** Resolves when the caller has read enough, or has left. */
export function hasRoom(response: EdgeResponse): Promise<void> {
  return new Promise((resolve) => {
    // Both are removed: a long download waits thousands of times.
    const over = (): void => {
      response.off('drain', over);
      response.off('close', over);
      resolve();
    };
    response.on('drain', over);
    response.on('close', over);
    if (response.destroyed) over();
  });
}
