/**
 * Heads of requests that came before. A client repeats the head of its requests, and only the length of the body
 * differs. Comparing bytes takes a fraction of the time of reading them. A head that differs in any other byte is read.
 */
import { KIB } from '../kernel/bytes.ts';
import { type RequestFault, type RequestHead, readRequestHead } from './request-head.ts';

interface KnownHead {
  /** Up to the digits of the length; everything if there is no length. */
  readonly before: Buffer;
  readonly after: Buffer;
  readonly hasLength: boolean;
  readonly head: RequestHead;
}

/** A power of two. Heads at the same place replace each other. */
const PLACES = 256;
const HEAD_BYTES_MAX = 4 * KIB;
/** Every fifth byte decides about the place of a head. */
const STEP = 5;
const LENGTH_DIGITS_MAX = 15;

export class KnownHeads {
  readonly #heads: (KnownHead | null)[] = new Array<null>(PLACES).fill(null);
  /** The hash of the last head at each place: only a head that comes twice in a row is worth keeping. */
  readonly #hashes = new Int32Array(PLACES);

  /** Like readRequestHead. */
  read(bytes: Buffer, start: number, end: number): RequestHead | RequestFault {
    if (end - start > HEAD_BYTES_MAX) return readRequestHead(bytes, start, end);
    const from = lengthStart(bytes, start, end);
    let to = from;
    let length = 0;
    for (let digit = digitAt(bytes, to, end); digit >= 0; digit = digitAt(bytes, ++to, end))
      length = length * 10 + digit;
    const parts = { start, from, to, end };
    const hash = hashOf(bytes, parts);
    const place = (hash ^ (hash >>> 8) ^ (hash >>> 16)) & (PLACES - 1);
    const known = this.#heads[place] ?? null;
    if (known !== null && isSame(known, bytes, parts))
      return withLength(known.head, known.hasLength ? length : known.head.bodyBytes);
    const head = readRequestHead(bytes, start, end);
    if (this.#hashes[place] !== hash) this.#hashes[place] = hash;
    else if (typeof head !== 'string' && canBeKept(head, bytes, parts))
      this.#heads[place] = {
        before: Buffer.from(bytes.subarray(start, from)),
        after: Buffer.from(bytes.subarray(to, end)),
        hasLength: to > from,
        head: { ...head, headers: Object.freeze(head.headers) },
      };
    return head;
  }
}

/** The parts of a head: the length is between `from` and `to`. */
interface HeadParts {
  readonly start: number;
  readonly from: number;
  readonly to: number;
  readonly end: number;
}

/** Where the digits of the length may begin; `end` if there is none. */
function lengthStart(bytes: Buffer, start: number, end: number): number {
  // The end of `Content-Length: `, whatever its case. A head in which another name ends so is read each time.
  const found = bytes.lastIndexOf('ength: ', end, 'latin1');
  return found < start ? end : Math.min(end, found + 7);
}

/** -1: not a digit. */
function digitAt(bytes: Buffer, at: number, end: number): number {
  const digit = at < end ? (bytes[at] as number) - 48 : -1;
  return digit <= 9 ? digit : -1;
}

function hashOf(bytes: Buffer, { start, from, to, end }: HeadParts): number {
  let hash = end - to;
  for (let i = from - 1; i >= start; i -= STEP) hash = (Math.imul(hash, 31) + (bytes[i] as number)) | 0;
  for (let i = end - 1; i >= to; i -= STEP) hash = (Math.imul(hash, 31) + (bytes[i] as number)) | 0;
  return hash;
}

function isSame(
  { before, after, hasLength }: KnownHead,
  bytes: Buffer,
  { start, from, to, end }: HeadParts,
): boolean {
  return (
    before.length === from - start &&
    after.length === end - to &&
    hasLength === to > from &&
    to - from <= LENGTH_DIGITS_MAX &&
    bytes.compare(before, 0, before.length, start, from) === 0 &&
    (after.length === 0 || bytes.compare(after, 0, after.length, to, end) === 0)
  );
}

function withLength(head: RequestHead, bodyBytes: number): RequestHead {
  return head.bodyBytes === bodyBytes ? head : { ...head, bodyBytes };
}

/** Only if nothing else in the head depends on the length, and if the digits are the whole length. */
function canBeKept(head: RequestHead, bytes: Buffer, { from, to, end }: HeadParts): boolean {
  if (head.headers.expect !== undefined) return false;
  if (from === end) return head.bodyBytes <= 0;
  const line = bytes.toString('latin1', from - LENGTH_NAME.length, from).toLowerCase();
  return line === LENGTH_NAME && to > from;
}

const LENGTH_NAME = '\ncontent-length: ';
