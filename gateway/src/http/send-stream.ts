/** Answers with a stream of bytes, no faster than the caller reads them. */
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Exchange } from './exchange.ts';

export interface StreamedBody {
  /** Default: 200. */
  readonly status?: number;
  readonly contentType: string;
  readonly bytes: number | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Not called for HEAD. */
  open(): Promise<Readable>;
}

export async function sendStream(exchange: Exchange, body: StreamedBody): Promise<void> {
  const { request, response } = exchange;
  const stream = request.method === 'HEAD' ? null : await body.open();
  const head = exchange.headers(body.contentType, body.headers);
  if (body.bytes !== null) head.push('content-length', String(body.bytes));
  response.writeHead(body.status ?? 200, head);
  if (stream === null) {
    response.end();
    return;
  }
  // The status has been sent: an error can only cut the body off.
  exchange.failInOwnFormat = () => void response.destroy();
  try {
    await pipeline(stream, response);
  } catch (error) {
    // A caller that disconnected is not an error.
    if (!response.destroyed || !isGone(error)) throw error;
  }
}

function isGone(error: unknown): boolean {
  return (error as { code?: string }).code === 'ERR_STREAM_PREMATURE_CLOSE';
}
