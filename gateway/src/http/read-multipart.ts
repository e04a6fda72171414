/**
 * Reads a form with files into memory. The body is held once, up to its limit, and the parts are views of it; nothing
 * is written to disk. Larger forms are read by stream-multipart.ts.
 */
import { boundaryOf, MultipartParser } from './multipart-parser.ts';
import { readBytes } from './read-body.ts';

export interface FormPart {
  readonly name: string;
  readonly bytes: Buffer;
}

export function isMultipart(contentType: string | undefined): contentType is string {
  return contentType !== undefined && /^multipart\/form-data\s*(?:;|$)/i.test(contentType);
}

export async function readMultipartBody(
  exchange: Parameters<typeof readBytes>[0],
  limits: Parameters<typeof readBytes>[1],
): Promise<FormPart[]> {
  const boundary = boundaryOf(exchange.request.headers['content-type'] ?? '');
  return readMultipart(await readBytes(exchange, limits), boundary);
}

export function readMultipart(body: Buffer, boundary: string): FormPart[] {
  const parser = new MultipartParser(boundary);
  const parts: FormPart[] = [];
  // The body is one chunk, so each part has one chunk, or none if it is empty.
  for (const event of parser.push(body)) {
    if ('head' in event) parts.push({ name: event.head.name, bytes: body.subarray(0, 0) });
    else parts.push({ name: parts.pop()?.name ?? '', bytes: event.bytes });
  }
  parser.end();
  return parts;
}
