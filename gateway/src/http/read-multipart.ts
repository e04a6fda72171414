/**
 * Reads a form with files whole. The body is in memory once, within its cap, and the parts are windows into
 * it; nothing is ever written to disk. A form that is too large for that is read by stream-multipart.ts.
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
  // The body is one piece, so each part comes in one piece, or is empty and comes in none.
  for (const event of parser.push(body)) {
    if ('head' in event) parts.push({ name: event.head.name, bytes: body.subarray(0, 0) });
    else parts.push({ name: parts.pop()?.name ?? '', bytes: event.bytes });
  }
  parser.end();
  return parts;
}
