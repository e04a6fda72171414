/** Reads which part of a file a request wants (RFC 9110, sections 13 and 14). Pure. */

export interface FileFacts {
  readonly bytes: number;
  /** A strong entity tag, with its quotes. */
  readonly etag: string;
}

/** Both ends are inclusive. */
export type FileAnswer =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly start: number; readonly end: number }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'beyond' };

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const WHOLE: FileAnswer = { kind: 'whole' };
/** One range. A request for several gets the whole file, which the RFC allows. */
const RANGE = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i;

export function answerRange(
  request: { readonly method?: string | undefined; readonly headers: Headers },
  file: FileFacts,
): FileAnswer {
  const { method, headers } = request;
  if (hasTag(headers['if-none-match'], file.etag)) return { kind: 'unchanged' };
  const { range, 'if-range': ifRange } = headers;
  // If the file has changed since, the caller needs all of it.
  const same = ifRange === undefined || ifRange === file.etag;
  if (method !== 'GET' || typeof range !== 'string' || !same) return WHOLE;
  return readRange(range, file.bytes);
}

function readRange(range: string, bytes: number): FileAnswer {
  const [, first = '', last = ''] = RANGE.exec(range) ?? [];
  if (first === '' && last === '') return WHOLE;
  if (first === '') {
    const length = Math.min(Number(last), bytes);
    return length === 0 ? { kind: 'beyond' } : { kind: 'part', start: bytes - length, end: bytes - 1 };
  }
  const start = Number(first);
  const end = last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (last !== '' && Number(last) < start) return WHOLE;
  return start >= bytes ? { kind: 'beyond' } : { kind: 'part', start, end };
}

/** A weak comparison, as the RFC says for this header. */
function hasTag(listed: string | string[] | undefined, etag: string): boolean {
  const tags = String(listed ?? '').split(',');
  return tags.some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
}
