/** One span: a step of a request with its times and attributes. */
import type { SpanAttributes, SpanValue } from '../trace.ts';
import { newSpanId } from './traceparent.ts';

export const spanKinds = { internal: 1, server: 2, client: 3 } as const;
export type SpanKind = keyof typeof spanKinds;

export interface SpanStart {
  readonly name: string;
  readonly kind: SpanKind;
  readonly traceId: string;
  readonly parentId: string | null;
  /** Milliseconds since the Unix epoch, with fractions. */
  readonly startMs: number;
  readonly attributes: SpanAttributes;
}

export class Span {
  readonly name: string;
  readonly kind: SpanKind;
  readonly traceId: string;
  readonly spanId = newSpanId();
  readonly parentId: string | null;
  readonly startMs: number;
  readonly attributes = new Map<string, SpanValue>();
  endMs: number | null = null;
  /** The class of the error; null if there was none. */
  error: string | null = null;

  constructor({ name, kind, traceId, parentId, startMs, attributes }: SpanStart) {
    this.name = name;
    this.kind = kind;
    this.traceId = traceId;
    this.parentId = parentId;
    this.startMs = startMs;
    this.describe(attributes);
  }

  describe(attributes: SpanAttributes): void {
    for (const [name, value] of Object.entries(attributes)) this.attributes.set(name, value);
  }

  fail(type: string): void {
    this.error = type;
    this.attributes.set('error.type', type);
  }
}
