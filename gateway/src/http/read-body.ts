/** Reads the body of a request: checks its type and size, and parses JSON safely. */
import type { EdgeRequest } from '../edge/edge-request.ts';
import { LongStringCutter } from '../json/cut-long-strings.ts';
import type { JsonLimits } from '../json/json-limits.ts';
import { type JsonObject, parseJsonObject } from '../json/parse-json.ts';
import { parseCutJson } from '../json/parse-large-json.ts';
import { expandInline, inlineBytes } from '../json/placeholders.ts';
import { randomBase62 } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import { takeBlock } from '../memory/body-memory.ts';
import type { ByteLease } from '../memory/byte-budget.ts';
import { receiveBody, SMALL_BODY_BYTES } from './arriving-body.ts';
import type { BodyArrivals } from './body-arrivals.ts';

export interface BodyLimits extends JsonLimits {
  readonly bytesMax: number;
  /** Null if bodies are too small to be paced. */
  readonly arrivals: BodyArrivals | null;
}

/** Memory of a parsed body, in multiples of its bytes: its text, its values and the copy that is sent. */
const PARSED_TIMES = 3;
const MARK_CHARACTERS = 32;

/** A large body has its long strings kept outside: see its `inline`. */
export function readJsonBody(
  exchange: Arriving,
  limits: BodyLimits,
  digest: BodyDigest | null = null,
): Promise<JsonObject> {
  checkJsonType(exchange.request);
  return readJson(exchange, limits, digest);
}

/** Gets all bytes of a body, such as a hash. */
export interface BodyDigest {
  update(bytes: Buffer): unknown;
}

/** Null if there is no body, whatever its type. Such bodies are small. */
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

/** The value with its long strings included, for code that has to read them. */
export async function readWholeJson(
  exchange: Arriving,
  limits: BodyLimits,
  digest: BodyDigest | null = null,
): Promise<Record<string, unknown>> {
  const { value, inline } = await readJsonBody(exchange, limits, digest);
  if (inline === undefined) return value;
  await exchange.lease?.take(inlineBytes(inline));
  return expandInline(value, inline, 'all');
}

/** The exchange that the body belongs to. */
interface Arriving {
  readonly request: EdgeRequest;
  readonly lease: ByteLease | null;
}

async function readJson(
  { request, lease }: Arriving,
  limits: BodyLimits,
  digest: BodyDigest | null,
): Promise<JsonObject> {
  refuseCompressed(request);
  const { bytesMax, arrivals } = limits;
  // Some are noted twice. What is dropped because the body is rejected is not held here.
  const blocks: Buffer[] = [];
  const takeNoted = (bytes: number): Buffer => {
    const block = takeBlock(bytes);
    blocks.push(block);
    return block;
  };
  let cutter: LongStringCutter | null = null;
  const small = await receiveBody(request, {
    bytesMax,
    lease,
    arrivals,
    onLarge(chunk) {
      cutter ??= new LongStringCutter(limits, randomBase62(MARK_CHARACTERS), takeNoted);
      if (blocks.at(-1)?.buffer !== chunk.buffer) blocks.push(chunk);
      digest?.update(chunk);
      cutter.push(chunk);
    },
  });
  if (small !== null) {
    digest?.update(small);
    return parseJsonObject(small, limits);
  }
  const cut = (cutter as unknown as LongStringCutter).end();
  await lease?.take(cut.bytes.length * PARSED_TIMES);
  return { ...(await parseCutJson(cut, limits)), blocks };
}

function checkJsonType(request: EdgeRequest): void {
  const { 'content-type': type = '' } = request.headers;
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type)) {
    throw unsupportedType(type, 'application/json');
  }
}

export function unsupportedType(type: string, wanted: string): Problem {
  const sent = type === '' ? 'no Content-Type' : `Content-Type ${JSON.stringify(type.slice(0, 80))}`;
  return new Problem('unsupported_media_type', {
    detail: `The request has ${sent}. Send the body with Content-Type: ${wanted}.`,
  });
}

export function refuseCompressed(request: EdgeRequest): void {
  const { 'content-encoding': encoding = 'identity' } = request.headers;
  if (encoding === 'identity') return;
  throw new Problem('unsupported_media_type', {
    detail: 'Compressed request bodies are not supported. Send the body without Content-Encoding.',
  });
}

/** The whole body in one buffer. */
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
  // Held twice for a moment, and again in the request to the provider.
  await lease?.take(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  return Buffer.concat(chunks);
}
