/** Reads a request's JSON body: the right type, within the cap, safely parsed. */
import type { IncomingMessage } from 'node:http';
import { type JsonLimits, type JsonObject, parseJsonObject } from '../kernel/json.ts';
import { Problem } from '../kernel/problem.ts';

export interface BodyLimits extends JsonLimits {
  readonly bytesMax: number;
}

export async function readJsonBody(request: IncomingMessage, limits: BodyLimits): Promise<JsonObject> {
  checkType(request);
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > limits.bytesMax) throw tooLarge(limits.bytesMax);
  return parseJsonObject(await readBytes(request, limits.bytesMax), limits);
}

function checkType(request: IncomingMessage): void {
  const { 'content-type': type = '', 'content-encoding': encoding } = request.headers;
  if (encoding !== undefined && encoding !== 'identity') {
    throw new Problem('unsupported_media_type', {
      detail: 'Compressed bodies are not read; leave Content-Encoding out.',
    });
  }
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type)) {
    const sent = type === '' ? 'no Content-Type' : `Content-Type ${JSON.stringify(type.slice(0, 80))}`;
    throw new Problem('unsupported_media_type', {
      detail: `The request has ${sent}; send the body with Content-Type: application/json.`,
    });
  }
}

function readBytes(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bytesMax) {
        chunks.push(chunk);
        return;
      }
      // What still comes is read and dropped, so that the answer reaches whoever is sending it.
      chunks.length = 0;
      reject(tooLarge(bytesMax));
    });
    request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
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
