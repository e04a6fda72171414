/**
 * Reads a form with files as it comes: the bytes of a file are handed on and awaited, so that a slow store
 * slows the sender and nothing piles up here.
 */
import type { IncomingMessage } from 'node:http';
import { Problem } from '../kernel/problem.ts';
import { boundaryOf, MultipartParser, type PartHead } from './multipart-parser.ts';
import { refuseCompressed } from './read-body.ts';

export interface FormReader {
  /** Throws to refuse the part. */
  onPart(head: PartHead): void;
  /** Of the part that was begun last. */
  onData(bytes: Buffer): Promise<void>;
}

/** Resolves when the form has ended well; rejects at the first thing wrong, and drops what still comes. */
export async function streamMultipart(request: IncomingMessage, reader: FormReader): Promise<void> {
  refuseCompressed(request);
  const parser = new MultipartParser(boundaryOf(request.headers['content-type'] ?? ''));
  try {
    // The request must live on when we stop reading: its answer is still to be sent.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      for (const event of parser.push(chunk as Buffer)) {
        if ('head' in event) reader.onPart(event.head);
        else await reader.onData(event.bytes);
      }
    }
    parser.end();
  } catch (error) {
    request.resume();
    throw isCutOff(error) ? new Problem('malformed_request', { detail: 'The body was cut off.' }) : error;
  }
}

/** Node says so when a connection ends in the middle of a request. */
function isCutOff(error: unknown): boolean {
  return ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'].includes((error as { code?: string }).code ?? '');
}
