/**
 * Parses a form with files (RFC 7578), strictly, from chunks that may be cut anywhere. It copies nothing, and holds
 * only the head of a part and what may be the beginning of a boundary. Used for forms in memory and streamed forms.
 */
import { isUtf8 } from 'node:buffer';
import { Problem } from '../kernel/problem.ts';

export interface PartHead {
  readonly name: string;
  /** Null if the part is not a file. */
  readonly filename: string | null;
  /** As it was sent; null if it was not sent. */
  readonly contentType: string | null;
}

/** A part begins, or bytes of it arrive: a view of the pushed chunk. */
export type FormEvent = { readonly head: PartHead } | { readonly bytes: Buffer };

const PARTS_MAX = 64;
const PART_HEAD_BYTES_MAX = 8 * 1024;
const BOUNDARY = /;\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/i;
/** In sequence, so that a file name cannot be mistaken for a name. */
const PARAMETER = /\s*;\s*([\w*-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/y;
const DISPOSITION = 'form-data';
const PLAIN_ENCODINGS = ['7bit', '8bit', 'binary'];
const LINE_END = Buffer.from('\r\n');
const HEAD_END = Buffer.from('\r\n\r\n');
const CLOSING = Buffer.from('--');
const NOTHING = Buffer.alloc(0);

export function boundaryOf(contentType: string): string {
  const found = BOUNDARY.exec(contentType);
  const boundary = found?.[1] ?? found?.[2];
  if (boundary !== undefined) return boundary;
  throw malformed(
    'The Content-Type multipart/form-data has no boundary. Let your HTTP client set this header.',
  );
}

type State = 'opening' | 'after-boundary' | 'head' | 'data' | 'closed';

export class MultipartParser {
  #events: FormEvent[] = [];
  readonly #opening: Buffer;
  readonly #delimiter: Buffer;
  #state: State = 'opening';
  #parts = 0;
  /** The end of the pushed bytes that cannot be interpreted yet. */
  #rest: Buffer = NOTHING;

  constructor(boundary: string) {
    this.#opening = Buffer.from(`--${boundary}`, 'latin1');
    this.#delimiter = Buffer.concat([LINE_END, this.#opening]);
  }

  /** The events of this chunk, in order. */
  push(piece: Buffer): FormEvent[] {
    this.#events = [];
    let bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    for (;;) {
      const taken = this.#take(bytes);
      if (taken === null) break;
      bytes = bytes.subarray(taken);
    }
    this.#rest = this.#state === 'closed' ? NOTHING : bytes;
    return this.#events;
  }

  /** Throws if the form is incomplete. */
  end(): void {
    if (this.#state === 'closed') return;
    if (this.#state === 'opening') throw malformed('The form does not begin with its boundary.');
    if (this.#state === 'head' && this.#rest.includes(this.#delimiter)) throw this.#headWithoutEnd();
    throw malformed(`The form is cut off in part ${Math.max(1, this.#parts)}: its last boundary is missing.`);
  }

  /** Number of bytes consumed; null if more are needed. */
  #take(bytes: Buffer): number | null {
    switch (this.#state) {
      case 'opening':
        return this.#takeOpening(bytes);
      case 'after-boundary':
        return this.#takeAfterBoundary(bytes);
      case 'head':
        return this.#takeHead(bytes);
      case 'data':
        return this.#takeData(bytes);
      case 'closed':
        return null;
    }
  }

  #takeOpening(bytes: Buffer): number | null {
    const { length } = this.#opening;
    if (!bytes.subarray(0, length).equals(this.#opening.subarray(0, bytes.length))) {
      throw malformed('The form does not begin with its boundary.');
    }
    if (bytes.length < length) return null;
    this.#state = 'after-boundary';
    return length;
  }

  #takeAfterBoundary(bytes: Buffer): number | null {
    if (bytes.length < LINE_END.length) return null;
    const next = bytes.subarray(0, LINE_END.length);
    if (next.equals(CLOSING)) {
      this.#state = 'closed';
      return CLOSING.length;
    }
    if (!next.equals(LINE_END)) throw malformed('The form has other text on the line of a boundary.');
    if (this.#parts >= PARTS_MAX) throw malformed(`The form has more than ${PARTS_MAX} parts. Send fewer.`);
    this.#parts++;
    this.#state = 'head';
    return LINE_END.length;
  }

  #takeHead(bytes: Buffer): number | null {
    const end = bytes.subarray(0, PART_HEAD_BYTES_MAX).indexOf(HEAD_END);
    if (end < 0) {
      if (bytes.length >= PART_HEAD_BYTES_MAX) throw this.#headWithoutEnd();
      return null;
    }
    this.#events.push({ head: readHead(bytes.subarray(0, end), this.#parts) });
    this.#state = 'data';
    return end + HEAD_END.length;
  }

  #takeData(bytes: Buffer): number | null {
    const end = bytes.indexOf(this.#delimiter);
    if (end >= 0) {
      if (end > 0) this.#events.push({ bytes: bytes.subarray(0, end) });
      this.#state = 'after-boundary';
      return end + this.#delimiter.length;
    }
    const safe = this.#boundaryMayBeginAt(bytes);
    if (safe === 0) return null;
    this.#events.push({ bytes: bytes.subarray(0, safe) });
    return safe;
  }

  /** The index at which the last bytes may be the beginning of a boundary; else the length. */
  #boundaryMayBeginAt(bytes: Buffer): number {
    let at = Math.max(0, bytes.length - this.#delimiter.length + 1);
    for (
      at = bytes.indexOf(LINE_END[0] as number, at);
      at >= 0;
      at = bytes.indexOf(LINE_END[0] as number, at + 1)
    ) {
      const tail = bytes.subarray(at);
      if (tail.equals(this.#delimiter.subarray(0, tail.length))) return at;
    }
    return bytes.length;
  }

  #headWithoutEnd(): Problem {
    return malformed(`The headers of part ${this.#parts} of the form are too long or incomplete.`);
  }
}

function readHead(head: Buffer, number: number): PartHead {
  const headers = readHeaders(head, number);
  const { name, filename } = readDisposition(headers.get('content-disposition') ?? '');
  if (name === '') {
    throw malformed(`Part ${number} of the form has no name. Send Content-Disposition: form-data; name="…".`);
  }
  const encoding = headers.get('content-transfer-encoding')?.toLowerCase() ?? 'binary';
  if (!PLAIN_ENCODINGS.includes(encoding)) {
    throw malformed(
      `The part ${shown(name)} must not have a Content-Transfer-Encoding. Send its bytes unchanged.`,
      name,
    );
  }
  return { name, filename, contentType: headers.get('content-type') ?? null };
}

/** The name is empty if there is none. */
function readDisposition(disposition: string): Pick<PartHead, 'name' | 'filename'> {
  let name: string | null = null;
  let filename: string | null = null;
  if (disposition.toLowerCase().startsWith(DISPOSITION)) {
    PARAMETER.lastIndex = DISPOSITION.length;
    for (let found = PARAMETER.exec(disposition); found !== null; found = PARAMETER.exec(disposition)) {
      const [, key = '', quoted, plain = ''] = found;
      const value = (quoted ?? plain).replaceAll(/\\(.)/g, '$1');
      if (key.toLowerCase() === 'name') name ??= value;
      else if (key.toLowerCase() === 'filename') filename ??= value;
    }
  }
  return { name: name ?? '', filename };
}

function readHeaders(head: Buffer, number: number): Map<string, string> {
  if (!isUtf8(head)) throw malformed(`The headers of part ${number} of the form are not valid UTF-8.`);
  const headers = new Map<string, string>();
  for (const line of head.toString('utf8').split('\r\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).toLowerCase();
    if (!/^[a-z0-9-]+$/.test(name) || headers.has(name)) {
      throw malformed(`The headers of part ${number} of the form are invalid.`);
    }
    headers.set(name, line.slice(colon + 1).trim());
  }
  return headers;
}

/** A name, quoted and shortened for an error text. */
export function shown(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}

function malformed(detail: string, param?: string): Problem {
  return new Problem('invalid_parameter', {
    detail,
    ...(param !== undefined && { param: param.slice(0, 100) }),
  });
}
