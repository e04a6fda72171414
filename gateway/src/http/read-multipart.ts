/**
 * Reads a form with files (RFC 7578), strictly. The body is in memory once, within its cap, and the parts
 * are windows into it; nothing is ever written to disk.
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Problem } from '../kernel/problem.ts';
import { readBytes } from './read-body.ts';

export interface FormPart {
  readonly name: string;
  readonly bytes: Buffer;
}

const PARTS_MAX = 64;
const PART_HEAD_BYTES_MAX = 8 * 1024;
const BOUNDARY = /;\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/i;
/** One after the other, so that a file name cannot pass for a name. */
const PARAMETER = /\s*;\s*([\w*-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/y;
const DISPOSITION = 'form-data';
const PLAIN_ENCODINGS = ['7bit', '8bit', 'binary'];
const LINE_END = Buffer.from('\r\n');
const HEAD_END = Buffer.from('\r\n\r\n');
const CLOSING = Buffer.from('--');

export function isMultipart(contentType: string | undefined): contentType is string {
  return contentType !== undefined && /^multipart\/form-data\s*(?:;|$)/i.test(contentType);
}

export async function readMultipartBody(request: IncomingMessage, bytesMax: number): Promise<FormPart[]> {
  const boundary = boundaryOf(request.headers['content-type'] ?? '');
  return readMultipart(await readBytes(request, bytesMax), boundary);
}

export function boundaryOf(contentType: string): string {
  const found = BOUNDARY.exec(contentType);
  const boundary = found?.[1] ?? found?.[2];
  if (boundary !== undefined) return boundary;
  throw malformed('The Content-Type multipart/form-data has no boundary; let your client set the header.');
}

export function readMultipart(body: Buffer, boundary: string): FormPart[] {
  const opening = Buffer.from(`--${boundary}`, 'latin1');
  const delimiter = Buffer.concat([LINE_END, opening]);
  if (!startsAt(body, opening, 0)) throw malformed('The form does not begin with its boundary.');
  const parts: FormPart[] = [];
  let at = opening.length;
  while (!startsAt(body, CLOSING, at)) {
    if (!startsAt(body, LINE_END, at)) throw malformed('The form has something beside a boundary.');
    if (parts.length >= PARTS_MAX) throw malformed(`The form has more than ${PARTS_MAX} parts.`);
    const end = body.indexOf(delimiter, at);
    if (end < 0)
      throw malformed(`The form is cut off in part ${parts.length + 1}: its last boundary is missing.`);
    parts.push(readPart(body.subarray(at + LINE_END.length, end), parts.length + 1));
    at = end + delimiter.length;
  }
  return parts;
}

function readPart(part: Buffer, number: number): FormPart {
  const end = part.subarray(0, PART_HEAD_BYTES_MAX).indexOf(HEAD_END);
  if (end < 0) throw malformed(`The headers of part ${number} of the form have no end.`);
  const headers = readHeaders(part.subarray(0, end), number);
  const name = nameOf(headers.get('content-disposition') ?? '');
  if (name === '') {
    throw malformed(`Part ${number} of the form has no name; send Content-Disposition: form-data; name="…".`);
  }
  const encoding = headers.get('content-transfer-encoding')?.toLowerCase() ?? 'binary';
  if (!PLAIN_ENCODINGS.includes(encoding)) {
    throw malformed(`The part ${shown(name)} must not be encoded; send its bytes as they are.`, name);
  }
  return { name, bytes: part.subarray(end + HEAD_END.length) };
}

/** Empty where there is none. */
function nameOf(disposition: string): string {
  if (!disposition.toLowerCase().startsWith(DISPOSITION)) return '';
  PARAMETER.lastIndex = DISPOSITION.length;
  for (let found = PARAMETER.exec(disposition); found !== null; found = PARAMETER.exec(disposition)) {
    const [, key = '', quoted, plain = ''] = found;
    if (key.toLowerCase() === 'name') return (quoted ?? plain).replaceAll(/\\(.)/g, '$1');
  }
  return '';
}

function readHeaders(head: Buffer, number: number): Map<string, string> {
  if (!isUtf8(head)) throw malformed(`The headers of part ${number} of the form are not valid UTF-8.`);
  const headers = new Map<string, string>();
  for (const line of head.toString('utf8').split('\r\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).toLowerCase();
    if (!/^[a-z0-9-]+$/.test(name) || headers.has(name)) {
      throw malformed(`The headers of part ${number} of the form are not well-formed.`);
    }
    headers.set(name, line.slice(colon + 1).trim());
  }
  return headers;
}

function startsAt(bytes: Buffer, start: Buffer, at: number): boolean {
  return bytes.subarray(at, at + start.length).equals(start);
}

/** A name as it may be repeated to whoever sent it. */
export function shown(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}

function malformed(detail: string, param?: string): Problem {
  return new Problem('invalid_parameter', {
    detail,
    ...(param !== undefined && { param: param.slice(0, 100) }),
  });
}
