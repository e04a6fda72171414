/** Reads the head of a response: the status line and the headers that are used. Pure. Anything ambiguous is an error. */
import { headerNameBytes } from './header-name-bytes.ts';
import { rateLimitHeaders } from './rate-limit-headers.ts';

export interface ResponseHead {
  readonly status: number;
  readonly version: '1.0' | '1.1';
  readonly headers: ResponseHeaders;
}

/** Those of KEPT_HEADERS, in lower case; repeated ones are joined with a comma. */
export type ResponseHeaders = Readonly<Record<string, string | undefined>>;

export class ResponseError extends Error {
  override readonly name = 'ResponseError';
}

/** The head is from `start` to `end`, without the empty line after it. Throws ResponseError. */
export function readResponseHead(bytes: Buffer, start: number, end: number): ResponseHead {
  const text = bytes.toString('latin1', start, end);
  const line = readStatusLine(text);
  const headers = readHeaders(text, line.length, bytes.subarray(start, end + 2));
  return { status: line.status, version: line.version, headers };
}

function readStatusLine(text: string): Pick<ResponseHead, 'status' | 'version'> & { length: number } {
  // What most answers begin with.
  if (text.startsWith(USUAL_LINE)) return { status: 200, version: '1.1', length: USUAL_LINE.length };
  const match = STATUS_LINE.exec(text);
  if (match === null) throw new ResponseError('not a status line');
  return { status: Number(match[2]), version: match[1] === '1' ? '1.1' : '1.0', length: match[0].length };
}

/** Checks every line but keeps only the headers that are used: providers send dozens. */
function readHeaders(text: string, start: number, bytes: Buffer): ResponseHeaders {
  const headers: Record<string, string | undefined> = {};
  // Bytes are read in half the time of characters. The line end after the last header ends both loops.
  for (let at = start; at < text.length; ) {
    let colon = at;
    while ((NAME[bytes[colon] as number] as number) > 0) colon++;
    if (colon === at || bytes[colon] !== COLON) throw new ResponseError('bad header');
    let end = colon + 1;
    while (VALUE[bytes[end] as number] === 1) end++;
    if (bytes[end] !== CARRIAGE_RETURN || bytes[end + 1] !== LINE_FEED) throw new ResponseError('bad header');
    const name = keptName(bytes, at, colon);
    if (name !== null) keepHeader(headers, name, text.slice(colon + 1, end).trim());
    at = end + 2;
  }
  return headers;
}

function keepHeader(headers: Record<string, string | undefined>, name: string, value: string): void {
  const before = headers[name];
  if (before !== undefined && name === 'content-length' && before !== value)
    throw new ResponseError('two content-lengths');
  headers[name] = before === undefined || name === 'content-length' ? value : `${before}, ${value}`;
}

/** The name in lower case, without making a string of it; null if such headers are not kept. */
function keptName(bytes: Buffer, at: number, end: number): string | null {
  const names = KEPT_BY_LENGTH[end - at];
  if (names === undefined) return null;
  for (const name of names) {
    let i = 0;
    while (i < name.length && ((bytes[at + i] as number) | LOWER) === name.charCodeAt(i)) i++;
    if (i === name.length) return name;
  }
  return null;
}

const USUAL_LINE = 'HTTP/1.1 200 OK\r\n';
const STATUS_LINE = /^HTTP\/1\.([01]) (\d{3})(?: [^\0\r\n]*)?(?:\r\n|$)/;
const NAME = headerNameBytes;
/** No character that some parser treats as a line end. */
const VALUE = new Uint8Array(256).fill(1);
for (const character of '\0\r\n') VALUE[character.charCodeAt(0)] = 0;
const KEPT_HEADERS = [
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'keep-alive',
  'retry-after',
  'x-gemini-service-tier',
  'transfer-encoding',
  ...rateLimitHeaders,
];
const KEPT_BY_LENGTH: (string[] | undefined)[] = [];
for (const name of KEPT_HEADERS) KEPT_BY_LENGTH[name.length] = [...(KEPT_BY_LENGTH[name.length] ?? []), name];
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const COLON = 58;
/** The bit that letters in lower case have; the hyphen and digits have it, too. */
const LOWER = 32;
