/** Spans in the JSON of the OpenTelemetry protocol. Pure. */
import type { SpanAttributes, SpanValue } from '../trace.ts';
import { type Span, spanKinds } from './span.ts';

const STATUS_ERROR = 2;
const NANOS_PER_MS = 1_000_000;

export interface SpanSource {
  /** Attributes of the process, such as `service.name`. */
  readonly resource: SpanAttributes;
  readonly version: string;
}

export function writeSpans(spans: readonly Span[], { resource, version }: SpanSource): string {
  const scope = { name: 'tollgate', version };
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: writeAttributes(Object.entries(resource)) },
        scopeSpans: [{ scope, spans: spans.map(writeSpan) }],
      },
    ],
  });
}

function writeSpan(span: Span): object {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentId !== null && { parentSpanId: span.parentId }),
    name: span.name,
    kind: spanKinds[span.kind],
    startTimeUnixNano: nanosOf(span.startMs),
    endTimeUnixNano: nanosOf(span.endMs ?? span.startMs),
    attributes: writeAttributes(span.attributes),
    status: span.error === null ? {} : { code: STATUS_ERROR, message: span.error },
  };
}

/** As text, because a number does not hold nanoseconds since 1970 exactly. */
export function nanosOf(ms: number): string {
  const whole = Math.floor(ms);
  const nanos = Math.min(Math.round((ms - whole) * NANOS_PER_MS), NANOS_PER_MS - 1);
  return `${whole}${String(nanos).padStart(6, '0')}`;
}

function writeAttributes(attributes: Iterable<readonly [string, SpanValue]>): object[] {
  return [...attributes].map(([key, value]) => ({ key, value: writeValue(value) }));
}

function writeValue(value: SpanValue): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value !== 'number') return { arrayValue: { values: value.map((item) => writeValue(item)) } };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
