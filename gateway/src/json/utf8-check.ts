/** Checks UTF-8 in chunks that may be cut inside a character. */
import { isUtf8 } from 'node:buffer';
import { notUtf8 } from './json-problems.ts';

const NOTHING = Buffer.alloc(0);

export class Utf8Check {
  #rest: Buffer = NOTHING;

  push(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const whole = bytes.length - openEnd(bytes);
    if (!isUtf8(bytes.subarray(0, whole))) throw notUtf8();
    this.#rest = whole === bytes.length ? NOTHING : Buffer.from(bytes.subarray(whole));
  }

  end(): void {
    if (this.#rest.length > 0) throw notUtf8();
  }
}

/** How many bytes at the end belong to an incomplete character. */
function openEnd(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? back : 0;
  }
  return 0;
}
