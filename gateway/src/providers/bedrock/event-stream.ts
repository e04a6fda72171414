/**
 * Splits AWS event streams into messages: binary, with headers, a payload and two checksums. Accepts bytes
 * split anywhere and rejects messages above a size limit.
 */
import { crc32 } from 'node:zlib';
import { toByteString } from '../../kernel/byte-string.ts';
import { FrameTooLong, type OnSseFrame } from '../../kernel/framing.ts';

/** Message length, header length, and the checksum of the two. */
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
const STRING_HEADER = 7;
/** Value sizes by header type; values of the types 6 and 7 carry their own length. */
const HEADER_BYTES: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };
const TOLD_LENGTH = new Set([6, STRING_HEADER]);

/** Prefix of the event name of an exception. */
export const EXCEPTION = 'exception/';
/** The event name for bytes that are not a message. Nothing after them can be read. */
export const CORRUPT = 'corrupt';

export class EventStreamFramer {
  readonly #bytesMax: number;
  readonly #onFrame: OnSseFrame;
  #rest: Buffer = Buffer.alloc(0);
  /** Pieces of an incomplete message; joined once it is complete. */
  #pieces: Buffer[] = [];
  #waiting = 0;
  #wanted = PRELUDE_BYTES;
  #corrupt = false;

  constructor(options: { bytesMax: number; onFrame: OnSseFrame }) {
    this.#bytesMax = options.bytesMax;
    this.#onFrame = options.onFrame;
  }

  /** The buffer is only valid during the call, so what is kept is copied. */
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

  /** Reads a prelude, which has the message length, or a complete message. */
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

/** The length of the message; null when the prelude is invalid. */
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

/** The string headers; null when they exceed the header length. */
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
