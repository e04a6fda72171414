/**
 * Reads a form with files as it arrives: the bytes of a file are passed on and awaited, so that a slow store slows the
 * sender down and nothing piles up in memory.
 */
import type { EdgeRequest } from '../edge/edge-request.ts';
import { bodyCutOff } from './arriving-body.ts';
import { boundaryOf, MultipartParser, type PartHead } from './multipart-parser.ts';
import { refuseCompressed } from './read-body.ts';

export interface FormReader {
  /** Throws to reject the part. */
  onPart(head: PartHead): void;
  /** Bytes of the part that began last. */
  onData(bytes: Buffer): Promise<void>;
}

/** Resolves when the form is complete and valid; rejects at the first error, and drops the rest. */
export async function streamMultipart(request: EdgeRequest, reader: FormReader): Promise<void> {
  refuseCompressed(request);
  const parser = new MultipartParser(boundaryOf(request.headers['content-type'] ?? ''));
  try {
    for await (const chunk of bodyChunks(request)) {
      for (const event of parser.push(chunk)) {
        if ('head' in event) reader.onPart(event.head);
        else await reader.onData(event.bytes);
      }
    }
    parser.end();
  } catch (error) {
    request.resume();
    throw error;
  }
}

/** Throws if the connection ends before the whole body was received. Reading may stop early: the request stays open. */
export async function* bodyChunks(request: EdgeRequest): AsyncGenerator<Buffer> {
  const held: Buffer[] = [];
  let isOver = false;
  let wake: () => void = () => undefined;
  const onData = (chunk: Buffer): void => {
    held.push(chunk);
    request.pause();
    wake();
  };
  const onClose = (): void => {
    isOver = true;
    wake();
  };
  request.on('data', onData);
  request.on('close', onClose);
  if (request.destroyed) onClose();
  try {
    for (;;) {
      const chunk = held.shift();
      if (chunk !== undefined) {
        yield chunk;
        continue;
      }
      if (isOver) break;
      await new Promise<void>((resolve) => {
        wake = resolve;
        request.resume();
      });
    }
    if (!request.complete) throw bodyCutOff();
  } finally {
    request.off('data', onData);
    request.off('close', onClose);
  }
}
