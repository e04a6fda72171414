/** Parses JSON as parse-json.ts does, with the same checks, where there are no Buffers: in browsers. */

import type { JsonLimits } from './json-limits.ts';
import { notUtf8 } from './json-problems.ts';
import { type BytesReader, scanJsonObject } from './scan-json.ts';

/** Bytes that must be one JSON object. */
export function parseBytesObject(bytes: Uint8Array, limits: JsonLimits): Record<string, unknown> {
  return scanJsonObject(bytes, limits, bytesReader).value;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const bytesReader: BytesReader<Uint8Array> = {
  all(bytes) {
    try {
      return decoder.decode(bytes);
    } catch {
      throw notUtf8();
    }
  },
  part: (bytes, start, end) => decoder.decode(bytes.subarray(start, end)),
};
