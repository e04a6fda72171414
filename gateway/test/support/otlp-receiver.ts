/** A collector for tests: takes spans over OTLP/HTTP as JSON, and keeps them. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code?: number; readonly message?: string };
  /** Read from the list of attributes. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Of the process that sent it. */
  readonly resource: Readonly<Record<string, unknown>>;
}

export interface OtlpReceiver {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** Everything that was sent, as it was sent. */
  readonly bodies: readonly string[];
  readonly requests: ReadonlyArray<{ readonly path: string; readonly headers: IncomingHttpHeaders }>;
  /** The status of all answers from now on, and their bodies. */
  answer: { status: number; body: string };
  stop(): Promise<void>;
}

interface SentValue {
  readonly stringValue?: string;
  readonly intValue?: string;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
  readonly arrayValue?: { readonly values: readonly SentValue[] };
}
type SentAttributes = ReadonlyArray<{ readonly key: string; readonly value: SentValue }>;
type SentSpan = Omit<ReceivedSpan, 'attributes' | 'resource'> & { readonly attributes: SentAttributes };
interface SentSpans {
  readonly resourceSpans: ReadonlyArray<{
    readonly resource: { readonly attributes: SentAttributes };
    readonly scopeSpans: ReadonlyArray<{ readonly spans: readonly SentSpan[] }>;
  }>;
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const bodies: string[] = [];
  const requests: Array<{ path: string; headers: IncomingHttpHeaders }> = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => {
      body += piece;
    });
    request.on('end', () => {
      const { status, body: answer } = receiver.answer;
      requests.push({ path: request.url ?? '', headers: request.headers });
      if (status === 200) {
        bodies.push(body);
        spans.push(...readSpans(JSON.parse(body) as SentSpans));
      }
      response.writeHead(status, { 'content-type': 'application/json' }).end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: OtlpReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ spans, bodies, requests, answer: { status: 200, body: '{}' } },
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return receiver;
}

function readSpans({ resourceSpans }: SentSpans): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        attributes: readAttributes(span.attributes),
        resource: readAttributes(resource.attributes),
      })),
    ),
  );
}

function readAttributes(attributes: SentAttributes): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, readValue(value)]));
}

function readValue(value: SentValue): unknown {
  if (value.arrayValue !== undefined) return value.arrayValue.values.map(readValue);
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.doubleValue ?? value.boolValue;
}
