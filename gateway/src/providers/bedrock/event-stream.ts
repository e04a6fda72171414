/**
 * Framing of AWS event streams: binary messages with headers, a payload and two checksums. Takes
 * bytes in pieces cut anywhere, and refuses a message above a named size.
 */
import { crc32 } from 'node:zlib';
import { toByteString } from '../../kernel/byte-string.ts';
import { FrameTooLong, type OnSseFrame } from '../../kernel/framing.ts';

/** Lengths of the message and of its headers, and the checksum of the two. */
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
const STRING_HEADER = 7;
/** Bytes of the values of headers, by their type; those of the types 6 and 7 tell their own length. */
const HEADER_BYTES: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };
const TOLD_LENGTH = new Set([6, STRING_HEADER]);

/** What stands before the name of an exception, where an event has its own name. */
export const EXCEPTION = 'exception/';
/** The event of bytes that are no message; nothing after them can be read either. */
export const CORRUPT = 'corrupt';

export class EventStreamFramer {
  readonly #bytesMax: number;
  readonly #onFrame: OnSseFrame;
  #rest: Buffer = Buffer.alloc(0);
  /** Pieces of a message that is not whole yet: joined only when it is. */
  #pieces: Buffer[] = [];
  #waiting = 0;
  #wanted = PRELUDE_BYTES;
  #corrupt = false;

  constructor(options: { bytesMax: number; onFrame: OnSseFrame }) {
    this.#bytesMax = options.bytesMax;
    this.#onFrame = options.onFrame;
  }

  /** The bytes are lent for the time of the call: what is kept of them is copied. */
  push(chunk: Buffer): void {
    if (this.#corrupt) return;
    this.#waiting += chunk.length;
    if (this.#waiting < this.#wanted) {
      this.#pieces.push(Buffer.from(chunk));
      return;
    }
    this.#rest = this.#pieces.length === 0 ? chunk : Buffer.concat([...this.#pieces, chunk]);
    while (!this.#corrupt && this.#rest.length >= this.#wanted) this.#step();
    this.#pieces = [Buffer.from(this.#rest)];
    this.#waiting = this.#rest.length;
  }

  /** Looks at a prelude, which tells how much more is wanted, or at a message that is whole. */
  #step(): void {
    const bytes = this.#rest;
    if (this.#wanted === PRELUDE_BYTES) {
      const total = readPrelude(bytes);
      if (total === null) this.#giveUp();
      else if (total > this.#bytesMax) throw new FrameTooLong(this.#bytesMax);
      else this.#wanted = total;
      return;
    }
    const message = readMessage(bytes.subarray(0, this.#wanted));
    this.#rest = bytes.subarray(this.#wanted);
    this.#wanted = PRELUDE_BYTES;
    if (message === null) this.#giveUp();
    else this.#deliver(message);
  }

  #deliver({ headers, payload }: Message): void {
    const kind = headers.get(':message-type');
    if (kind === 'exception') this.#onFrame(payload, EXCEPTION + (headers.get(':exception-type') ?? ''));
    else if (kind === 'error') {
      const error = toByteString(JSON.stringify({ message: headers.get(':error-message') ?? '' }));
      this.#onFrame(error, EXCEPTION + (headers.get(':error-code') ?? ''));
    } else this.#onFrame(payload, headers.get(':event-type') ?? '');
  }

  #giveUp(): void {
    this.#corrupt = true;
    this.#rest = Buffer.alloc(0);
    this.#onFrame('', CORRUPT);
  }
}

interface Message {
  readonly headers: ReadonlyMap<string, string>;
  /** A byte string. */
  readonly payload: string;
}

/** How long the message is; null when the prelude is none. */
function readPrelude(bytes: Buffer): number | null {
  const total = bytes.readUInt32BE(0);
  const shortest = PRELUDE_BYTES + bytes.readUInt32BE(4) + CHECKSUM_BYTES;
  return crc32(bytes.subarray(0, 8)) === bytes.readUInt32BE(8) && total >= shortest ? total : null;
}

function readMessage(bytes: Buffer): Message | null {
  const end = bytes.length - CHECKSUM_BYTES;
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32BE(end)) return null;
  const payloadAt = PRELUDE_BYTES + bytes.readUInt32BE(4);
  const headers = readHeaders(bytes.subarray(PRELUDE_BYTES, payloadAt));
  return headers === null ? null : { headers, payload: bytes.toString('latin1', payloadAt, end) };
}

/** The headers that are texts; null when they overrun their end. */
function readHeaders(bytes: Buffer): Map<string, string> | null {
  const headers = new Map<string, string>();
  let at = 0;
  while (at < bytes.length) {
    const nameEnd = at + 1 + (bytes[at] as number);
    const type = bytes[nameEnd];
    if (type === undefined) return null;
    let valueAt = nameEnd + 1;
    let length = HEADER_BYTES[type];
    if (TOLD_LENGTH.has(type) && valueAt + 2 <= bytes.length) {
      length = bytes.readUInt16BE(valueAt);
      valueAt += 2;
    }
    if (length === undefined || valueAt + length > bytes.length) return null;
    if (type === STRING_HEADER) {
      headers.set(bytes.toString('utf8', at + 1, nameEnd), bytes.toString('utf8', valueAt, valueAt + length));
    }
    at = valueAt + length;
  }
  return headers;
}
