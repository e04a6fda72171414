/** Reads a request's body: the right type, within the cap; JSON is safely parsed. */
import type { IncomingMessage } from 'node:http';
import { randomBase62 } from '../kernel/ids.ts';
import { LongStringCutter } from '../kernel/json/cut-long-strings.ts';
import { type JsonLimits, type JsonObject, parseJsonObject } from '../kernel/json/parse-json.ts';
import { parseCutJson } from '../kernel/json/parse-large-json.ts';
import { expandInline, inlineBytes } from '../kernel/json/placeholders.ts';
import { Problem } from '../kernel/problem.ts';
import type { ByteLease } from '../metering/byte-budget.ts';
import { receiveBody, SMALL_BODY_BYTES } from './arriving-body.ts';
import type { BodyArrivals } from './body-arrivals.ts';

export interface BodyLimits extends JsonLimits {
  readonly bytesMax: number;
  /** Null where bodies are too small to need turns. */
  readonly arrivals: BodyArrivals | null;
}

/** What a parsed body takes beside its bytes: its text while it is parsed, its values, the copy that is sent. */
const PARSED_TIMES = 3;
const MARK_CHARACTERS = 32;

/** The body of a large one has its long strings cut out: see `inline` of it. */
export async function readJsonBody(exchange: Arriving, limits: BodyLimits): Promise<JsonObject> {
  checkJsonType(exchange.request);
  return await readJson(exchange, limits);
}

/** Null where there is no body at all, whatever it says it is. Such bodies are small. */
export async function readOptionalJsonBody(
  exchange: Arriving,
  limits: BodyLimits,
): Promise<JsonObject | null> {
  const bytesMax = Math.min(limits.bytesMax, SMALL_BODY_BYTES);
  const bytes = await readBytes(exchange, { ...limits, bytesMax });
  if (bytes.length === 0) return null;
  checkJsonType(exchange.request);
  return parseJsonObject(bytes, limits);
}

/** For what has to be looked into: the value with its long strings in full. */
export async function readWholeJson(
  exchange: Arriving,
  limits: BodyLimits,
): Promise<Record<string, unknown>> {
  const { value, inline } = await readJsonBody(exchange, limits);
  if (inline === undefined) return value;
  await exchange.lease?.take(inlineBytes(inline));
  return expandInline(value, inline, 'all');
}

/** Of an exchange. */
interface Arriving {
  readonly request: IncomingMessage;
  readonly lease: ByteLease | null;
}

async function readJson({ request, lease }: Arriving, limits: BodyLimits): Promise<JsonObject> {
  refuseCompressed(request);
  const { bytesMax, arrivals } = limits;
  let cutter: LongStringCutter | null = null;
  const small = await receiveBody(request, {
    ...{ bytesMax, lease, arrivals },
    onLarge(chunk) {
      cutter ??= new LongStringCutter(limits, randomBase62(MARK_CHARACTERS));
      cutter.push(chunk);
    },
  });
  if (small !== null) return parseJsonObject(small, limits);
  const cut = (cutter as unknown as LongStringCutter).end();
  await lease?.take(cut.bytes.length * PARSED_TIMES);
  return await parseCutJson(cut, limits);
}

function checkJsonType(request: IncomingMessage): void {
  const { 'content-type': type = '' } = request.headers;
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type)) {
    throw unreadType(type, 'application/json');
  }
}

export function unreadType(type: string, wanted: string): Problem {
  const sent = type === '' ? 'no Content-Type' : `Content-Type ${JSON.stringify(type.slice(0, 80))}`;
  return new Problem('unsupported_media_type', {
    detail: `The request has ${sent}; send the body with Content-Type: ${wanted}.`,
  });
}

export function refuseCompressed(request: IncomingMessage): void {
  const { 'content-encoding': encoding = 'identity' } = request.headers;
  if (encoding === 'identity') return;
  throw new Problem('unsupported_media_type', {
    detail: 'Compressed bodies are not read; leave Content-Encoding out.',
  });
}

/** The whole body in one piece. */
export async function readBytes(
  { request, lease }: Arriving,
  limits: Pick<BodyLimits, 'bytesMax' | 'arrivals'>,
): Promise<Buffer> {
  refuseCompressed(request);
  const chunks: Buffer[] = [];
  const { bytesMax, arrivals } = limits;
  const onLarge = (chunk: Buffer): void => void chunks.push(chunk);
  const small = await receiveBody(request, { bytesMax, lease, arrivals, onLarge });
  if (small !== null) return small;
  // Held twice for a moment, and again in what is made of it.
  await lease?.take(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  return Buffer.concat(chunks);
}
