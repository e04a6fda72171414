/** Reads the head of a request: the request line and the headers. Pure. There is one way to read each head. */
import { METHODS } from 'node:http';
import { headerNameBytes } from '../net/header-name-bytes.ts';

/**
 * Lower-case names, without the length of the body. Repeated headers are joined, except those that may occur once: of
 * these the first counts.
 */
export type RequestHeaders = Readonly<Record<string, string | undefined>>;

export interface RequestHead {
  readonly method: string;
  readonly target: string;
  readonly httpVersion: '1.0' | '1.1';
  readonly headers: RequestHeaders;
  /** Number of Host headers. */
  readonly hosts: number;
  /** Bytes of the body; CHUNKED if they are counted chunk by chunk. */
  readonly bodyBytes: number;
  /** Whether the client wants to keep the connection. */
  readonly keepAlive: boolean;
  readonly expectsContinue: boolean;
}

/** Why bytes are rejected. */
export type RequestFault =
  | 'bad_request_line'
  | 'bad_header'
  | 'bad_body_length'
  | 'bad_chunk'
  | 'bad_trailer'
  | 'head_too_large'
  | 'too_many_headers'
  | 'incomplete_request'
  | 'request_timeout';

export const CHUNKED = -1;
export const HEADERS_MAX = 256;

/** The head is from `start` to `end`, without the empty line. */
export function readRequestHead(bytes: Buffer, start: number, end: number): RequestHead | RequestFault {
  const text = bytes.toString('latin1', start, end);
  const lineEnd = text.indexOf('\r\n');
  const match = REQUEST_LINE.exec(lineEnd < 0 ? text : text.slice(0, lineEnd));
  if (match === null) return 'bad_request_line';
  const [, method, target, minor] = match as unknown as [string, string, string, string];
  if (!KNOWN_METHODS.has(method)) return 'bad_request_line';
  const fields =
    lineEnd < 0 ? new HeaderFields() : readFields(text, lineEnd + 2, bytes.subarray(start, end + 2));
  if (typeof fields === 'string') return fields;
  const httpVersion = minor === '1' ? '1.1' : '1.0';
  const { headers, hosts } = fields;
  const bodyBytes = readBodyBytes(fields, httpVersion);
  if (bodyBytes === null) return 'bad_body_length';
  const { connection, expect } = headers;
  const keepAlive =
    httpVersion === '1.1'
      ? connection === undefined || !CLOSE.test(connection)
      : connection !== undefined && KEEP_ALIVE.test(connection) && !CLOSE.test(connection);
  const expectsContinue =
    expect !== undefined && bodyBytes !== 0 && httpVersion === '1.1' && CONTINUE.test(expect);
  return { method, target, httpVersion, headers, hosts, bodyBytes, keepAlive, expectsContinue };
}

/** Whether bytes are the beginning of a head that can become a valid one. Any other is rejected without waiting for its end. */
export function mayBecomeHead(bytes: Buffer, start: number): boolean {
  return HEAD_SO_FAR.test(bytes.toString('latin1', start));
}

export function isEmptyLine(bytes: Buffer, at: number): boolean {
  return bytes[at] === CARRIAGE_RETURN && bytes[at + 1] === LINE_FEED;
}

/** The headers after a chunked body. They are checked and dropped. */
export function trailersFault(bytes: Buffer, start: number, end: number): RequestFault | null {
  const fields = readFields(bytes.toString('latin1', start, end), 0, bytes.subarray(start, end + 2));
  if (typeof fields === 'string') return 'bad_trailer';
  if (fields.lengths > 0) return 'bad_trailer';
  for (const name in fields.headers) if (NOT_IN_TRAILERS.has(name)) return 'bad_trailer';
  return null;
}

class HeaderFields {
  // Without a prototype, so that no header can be mistaken for a method of objects.
  readonly headers = Object.create(null) as Record<string, string | undefined>;
  hosts = 0;
  length = '';
  lengths = 0;
  encodings = 0;

  add(name: string, value: string): void {
    if (name === 'host') this.hosts++;
    else if (name === 'content-length') {
      this.lengths++;
      this.length = value;
      return;
    } else if (name === 'transfer-encoding') this.encodings++;
    const before = this.headers[name];
    if (before === undefined) this.headers[name] = value;
    else if (name === 'cookie') this.headers[name] = `${before}; ${value}`;
    else if (!FIRST_COUNTS.has(name)) this.headers[name] = `${before}, ${value}`;
  }
}

/** `bytes` are those of the text, and the line end after it. They are read in half the time of characters. */
function readFields(text: string, start: number, bytes: Buffer): HeaderFields | RequestFault {
  const fields = new HeaderFields();
  let at = start;
  for (let count = 0; at <= text.length; count++) {
    if (count >= HEADERS_MAX) return 'too_many_headers';
    let i = at;
    let hasUpper = false;
    for (let kind = NAME[bytes[i] as number]; kind === LOWER || kind === UPPER; ) {
      if (kind === UPPER) hasUpper = true;
      kind = NAME[bytes[++i] as number];
    }
    if (i === at || bytes[i] !== COLON) return 'bad_header';
    const name = text.slice(at, i++);
    while (isBlank(bytes[i])) i++;
    const valueStart = i;
    while (VALUE[bytes[i] as number] === 1) i++;
    let valueEnd = i;
    while (valueEnd > valueStart && isBlank(bytes[valueEnd - 1])) valueEnd--;
    // A part of a string keeps the whole string in memory, and values such as keys are cached. Short parts are copies.
    const value =
      valueEnd - valueStart < COPIED_CHARACTERS_MIN
        ? text.slice(valueStart, valueEnd)
        : bytes.toString('latin1', valueStart, valueEnd);
    const lowerName = hasUpper ? name.toLowerCase() : name;
    if (TABLESS.has(lowerName) && text.slice(at, i).includes('\t')) return 'bad_header';
    fields.add(lowerName, value);
    if (i === text.length) return fields;
    if (bytes[i] !== CARRIAGE_RETURN || bytes[i + 1] !== LINE_FEED) return 'bad_header';
    at = i + 2;
  }
  return 'bad_header';
}

/** Null if the length is not clear. */
function readBodyBytes(
  { headers, length, lengths, encodings }: HeaderFields,
  version: RequestHead['httpVersion'],
): number | null {
  if (encodings > 0) {
    const isClear = encodings === 1 && lengths === 0 && version === '1.1';
    return isClear && headers['transfer-encoding']?.toLowerCase() === 'chunked' ? CHUNKED : null;
  }
  if (lengths === 0) return 0;
  return lengths === 1 && /^\d{1,15}$/.test(length) ? Number(length) : null;
}

function isBlank(code: number | undefined): boolean {
  return code === SPACE || code === TAB;
}

/** V8 copies parts that are shorter than this. */
const COPIED_CHARACTERS_MIN = 13;
const TAB = 9;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const COLON = 58;
const LOWER = 1;
const UPPER = 2;

const NAME = headerNameBytes;

/** The characters of header values: no control characters but the tab. */
const VALUE = new Uint8Array(256).fill(1, SPACE);
VALUE[TAB] = 1;
VALUE[127] = 0;

const REQUEST_LINE = /^([A-Z-]+) (\/[!-~]*|\*|https?:\/\/[a-z0-9.:[\]-]+(?:\/[!-~]*)?) HTTP\/1\.([01])$/;
const HEAD_SO_FAR = /^(?:\r?$|[A-Z](?:[\t\x20-\x7e\x80-\xff]|\r\n)*\r?$)/;
const CLOSE = /(?:^|[\s,])close(?:$|[\s,])/i;
const KEEP_ALIVE = /(?:^|,)[ \t]*keep-alive[ \t]*(?:,|$)/i;
const CONTINUE = /^100-continue$/i;

/** A CONNECT request has no path, and what follows it is not HTTP. */
const KNOWN_METHODS = new Set(METHODS.filter((method) => method !== 'CONNECT'));

const FIRST_COUNTS = new Set([
  'age',
  'authorization',
  'content-type',
  'etag',
  'expires',
  'from',
  'host',
  'if-modified-since',
  'if-unmodified-since',
  'last-modified',
  'location',
  'max-forwards',
  'proxy-authorization',
  'referer',
  'retry-after',
  'server',
  'user-agent',
]);

/** Parsers disagree about tabs around the values that decide where a request ends. */
const TABLESS = new Set(['connection', 'content-length', 'transfer-encoding']);

const NOT_IN_TRAILERS = new Set(['host', 'transfer-encoding', 'upgrade', 'connection']);
