/**
 * Reads a form with files as it arrives: the bytes of a file are passed on and awaited, so that a slow store slows the
 * sender down and nothing piles up in memory.
 */
import type { IncomingMessage } from 'node:http';
import { Problem } from '../kernel/problem.ts';
import { boundaryOf, MultipartParser, type PartHead } from './multipart-parser.ts';
import { refuseCompressed } from './read-body.ts';

export interface FormReader {
  /** Throws to reject the part. */
  onPart(head: PartHead): void;
  /** Bytes of the part that began last. */
  onData(bytes: Buffer): Promise<void>;
}

/** Resolves when the form is complete and valid; rejects at the first error, and drops the rest. */
export async function streamMultipart(request: IncomingMessage, reader: FormReader): Promise<void> {
  refuseCompressed(request);
  const parser = new MultipartParser(boundaryOf(request.headers['content-type'] ?? ''));
  try {
    // The request must stay open after we stop reading, because its answer still has to be sent.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      for (const event of parser.push(chunk as Buffer)) {
        if ('head' in event) reader.onPart(event.head);
        else await reader.onData(event.bytes);
      }
    }
    parser.end();
  } catch (error) {
    request.resume();
    throw isCutOff(error)
      ? new Problem('malformed_request', {
          detail: 'The connection ended before the whole body was received. Send the request again.',
        })
      : error;
  }
}

/** The error of Node for a connection that ends within a request. */
function isCutOff(error: unknown): boolean {
  return ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'].includes((error as { code?: string }).code ?? '');
}
