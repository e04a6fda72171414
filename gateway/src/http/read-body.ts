/** Reads a request's body: the right type, within the cap; JSON is safely parsed. */
import type { IncomingMessage } from 'node:http';
import { type JsonLimits, type JsonObject, parseJsonObject } from '../kernel/json.ts';
import { Problem } from '../kernel/problem.ts';

export interface BodyLimits extends JsonLimits {
  readonly bytesMax: number;
}

export async function readJsonBody(request: IncomingMessage, limits: BodyLimits): Promise<JsonObject> {
  checkJsonType(request);
  return parseJsonObject(await readBytes(request, limits.bytesMax), limits);
}

/** Null where there is no body at all, whatever it says it is. */
export async function readOptionalJsonBody(
  request: IncomingMessage,
  limits: BodyLimits,
): Promise<JsonObject | null> {
  const bytes = await readBytes(request, limits.bytesMax);
  if (bytes.length === 0) return null;
  checkJsonType(request);
  return parseJsonObject(bytes, limits);
}

function checkJsonType(request: IncomingMessage): void {
  const { 'content-type': type = '' } = request.headers;
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type)) {
    throw unreadType(type, 'application/json');
  }
}

export function unreadType(type: string, wanted: string): Problem {
  const sent = type === '' ? 'no Content-Type' : `Content-Type ${JSON.stringify(type.slice(0, 80))}`;
  return new Problem('unsupported_media_type', {
    detail: `The request has ${sent}; send the body with Content-Type: ${wanted}.`,
  });
}

export function refuseCompressed(request: IncomingMessage): void {
  const { 'content-encoding': encoding = 'identity' } = request.headers;
  if (encoding === 'identity') return;
  throw new Problem('unsupported_media_type', {
    detail: 'Compressed bodies are not read; leave Content-Encoding out.',
  });
}

/** Larger bodies whose length is known are written into their place as they come, and so held once. */
const JOINED_BYTES_MAX = 64 * 1024;

export async function readBytes(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const { 'content-length': length } = request.headers;
  refuseCompressed(request);
  const declared = Number(length ?? 0);
  if (declared > bytesMax) throw tooLarge(bytesMax);
  const whole = declared > JOINED_BYTES_MAX ? Buffer.allocUnsafeSlow(declared) : null;
  return await new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bytesMax) {
        if (whole === null) chunks.push(chunk);
        else chunk.copy(whole, bytes - chunk.length);
        return;
      }
      // What still comes is read and dropped, so that the answer reaches whoever is sending it.
      chunks.length = 0;
      reject(tooLarge(bytesMax));
    });
    request.on('end', () => {
      resolve(whole ?? (chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    });
    request.on('error', reject);
    request.on('close', () => {
      if (!request.complete) reject(new Problem('malformed_request', { detail: 'The body was cut off.' }));
    });
  });
}

function tooLarge(bytesMax: number): Problem {
  return new Problem('request_too_large', {
    detail: `The body is larger than the ${bytesMax} bytes this endpoint takes.`,
  });
}
