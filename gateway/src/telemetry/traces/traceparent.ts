/** The `traceparent` header of W3C Trace Context, version 00. */
import { randomBytes } from '../../kernel/ids.ts';

export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly sampled: boolean;
}

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 1;

/** Null if the header is missing or invalid: then a new trace begins. */
export function readTraceparent(header: string | undefined): TraceParent | null {
  const match = FORM.exec(header?.trim() ?? '');
  if (match === null) return null;
  const [, version = '', traceId = '', spanId = '', flags = '', more] = match;
  // Later versions may append fields; version 00 has none, and ff is forbidden.
  if (version === 'ff' || (version === '00' && more !== undefined)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

export function writeTraceparent({ traceId, spanId, sampled }: TraceParent): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}

export function newTraceId(): string {
  return newHex(16);
}

export function newSpanId(): string {
  return newHex(8);
}

function newHex(bytes: number): string {
  const text = Buffer.from(randomBytes(bytes)).toString('hex');
  // All zeros is not a valid id.
  return /^0+$/.test(text) ? newHex(bytes) : text;
}
