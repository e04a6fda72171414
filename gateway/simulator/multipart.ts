/** Reads a form with files (RFC 7578) strictly, so that a client that sends a malformed one finds out. */
import { KIB } from '../src/kernel/bytes.ts';

export interface FormPart {
  readonly name: string;
  /** Null for a plain field. */
  readonly filename: string | null;
  readonly mediaType: string | null;
  readonly data: Buffer;
}

const PARTS_MAX = 200;
const HEAD_BYTES_MAX = 8 * KIB;
const BOUNDARY = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/i;
const DISPOSITION = /^form-data((?:;\s*[\w*]+="(?:[^"\\]|\\.)*")+)$/i;
const PARAMETER = /;\s*([\w*]+)="((?:[^"\\]|\\.)*)"/g;
const BREAK = Buffer.from('\r\n');
const HEAD_END = Buffer.from('\r\n\r\n');

export class Form {
  readonly parts: readonly FormPart[];

  constructor(parts: readonly FormPart[]) {
    this.parts = parts;
  }

  /** The text of the first field of this name. */
  text(name: string): string | undefined {
    return this.parts.find((part) => part.name === name && part.filename === null)?.data.toString('utf8');
  }

  files(...names: readonly string[]): readonly FormPart[] {
    return this.parts.filter((part) => part.filename !== null && names.includes(part.name));
  }
}

export function isMultipart(contentType: string | undefined): contentType is string {
  return contentType !== undefined && /^multipart\/form-data\s*(?:;|$)/i.test(contentType);
}

/** Null where the body is not the form that its type promises. */
export function readForm(bytes: Buffer, contentType: string): Form | null {
  const found = BOUNDARY.exec(contentType);
  const boundary = found?.[1] ?? found?.[2];
  if (boundary === undefined) return null;
  const opening = Buffer.from(`--${boundary}`);
  const delimiter = Buffer.concat([BREAK, opening]);
  if (!startsWith(bytes, opening, 0)) return null;
  const parts: FormPart[] = [];
  for (let at = opening.length; startsWith(bytes, BREAK, at); ) {
    const end = bytes.indexOf(delimiter, at);
    const part = end < 0 ? null : readPart(bytes.subarray(at + BREAK.length, end));
    if (part === null || parts.length === PARTS_MAX) return null;
    parts.push(part);
    at = end + delimiter.length;
    const rest = bytes.length - at;
    if (startsWith(bytes, Buffer.from('--'), at) && (rest === 2 || endsWithBreak(bytes, rest))) {
      return new Form(parts);
    }
  }
  return null;
}

function readPart(bytes: Buffer): FormPart | null {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0 || end > HEAD_BYTES_MAX) return null;
  const headers = new Map<string, string>();
  for (const line of bytes.toString('utf8', 0, end).split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon <= 0) return null;
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  const parameters = readDisposition(headers.get('content-disposition') ?? '');
  const name = parameters?.get('name');
  if (name === undefined) return null;
  return {
    name,
    filename: parameters?.get('filename') ?? null,
    mediaType: headers.get('content-type')?.toLowerCase() ?? null,
    data: bytes.subarray(end + HEAD_END.length),
  };
}

function readDisposition(value: string): Map<string, string> | null {
  const parameters = DISPOSITION.exec(value)?.[1];
  if (parameters === undefined) return null;
  return new Map(
    [...parameters.matchAll(PARAMETER)].map((match) => [
      (match[1] as string).toLowerCase(),
      unescapeText(match[2] as string),
    ]),
  );
}

/** Browsers write a quotation mark as %22, others with a backslash. */
function unescapeText(text: string): string {
  return text.replaceAll(/\\(.)|%(22|0D|0A)/gi, (_, escaped: string | undefined, code: string) =>
    escaped === undefined ? String.fromCharCode(Number.parseInt(code, 16)) : escaped,
  );
}

function startsWith(bytes: Buffer, start: Buffer, at: number): boolean {
  return bytes.subarray(at, at + start.length).equals(start);
}

function endsWithBreak(bytes: Buffer, rest: number): boolean {
  return rest === 2 + BREAK.length && startsWith(bytes, BREAK, bytes.length - BREAK.length);
}
