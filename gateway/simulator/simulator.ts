/**
 * The simulator: a stand-in for model providers, as a real HTTP server. It owns the conversation
 * over HTTP and the journal of it; what is said comes from the brain, in the words of a protocol,
 * spoiled by a fault where one is asked for. It knows nothing of the gateway.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MIB } from '../src/kernel/bytes.ts';
import { randomBase62 } from '../src/kernel/ids.ts';
import { systemClock } from '../src/kernel/time.ts';
import { Shop } from './batches/shop.ts';
import { models } from './brain/models.ts';
import { readCues } from './cues.ts';
import type { Dialect } from './dialect.ts';
import { dialects, endpoints } from './endpoints.ts';
import { type ExactAnswers, sayExactly } from './exact-answers.ts';
import { faultModels, findFault } from './faults.ts';
import { seeFiles } from './files/see-files.ts';
import { Journal, type SeenCall } from './journal.ts';
import { type Json, record } from './json.ts';
import { Form, isMultipart, readForm } from './multipart.ts';
import { playWell } from './play.ts';
import { PromptCache } from './prompt-cache.ts';
import { Refusal } from './refusal.ts';
import { Reply } from './reply.ts';
import { type Match, Routes } from './routes.ts';
import { VideoShop } from './videos/video-shop.ts';

export interface SimulatorOptions {
  /** Zero or nothing takes a free one. */
  readonly port?: number;
  readonly host?: string;
  /** The pause between the frames of a stream where the caller asks for none. */
  readonly paceMs?: number;
  /** Where one is given, requests with another key or none are refused. */
  readonly apiKey?: string;
  /** How long a video takes. */
  readonly videoMs?: number;
  /** Whether its models have prompt caches. */
  readonly promptCache?: boolean;
}

export interface Simulator {
  /** Such as `http://127.0.0.1:4010/v1`, where OpenAI's endpoints are. */
  readonly url: string;
  /** Such as `http://127.0.0.1:4010`. */
  readonly origin: string;
  /** The latest calls, newest last; their marks change as they go on. */
  readonly calls: readonly SeenCall[];
  /** The batches and files it was given. */
  readonly shop: Shop;
  /** The videos it was asked for. */
  readonly videos: VideoShop;
  /** What it says word for word, by the name in `[[say NAME]]`. */
  readonly answers: ExactAnswers;
  /** The first call that satisfies, as soon as one does, be it by arriving or by a change of its marks. */
  waitFor(predicate: (call: SeenCall) => boolean): Promise<SeenCall>;
  stop(): Promise<void>;
}

const BODY_BYTES_MAX = 256 * MIB;
const HASHES_MAX = 10_000;
/** Longer than any client keeps an idle connection, so that it is never the server that closes it. */
const KEEP_ALIVE_MS = 300_000;
const NO_BYTES = Buffer.alloc(0);

const routes = new Routes(endpoints);

export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const desk = new Desk(options);
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) =>
    desk.receive(request, response),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, options.host ?? '127.0.0.1', resolve);
  });
  const { address, port, family } = server.address() as AddressInfo;
  let stopped: Promise<void> | null = null;
  const origin = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  return {
    url: `${origin}/v1`,
    origin,
    calls: desk.journal.calls,
    shop: desk.shop,
    videos: desk.videos,
    answers: desk.shop.answers,
    waitFor: (predicate) => desk.journal.waitFor(predicate),
    stop() {
      stopped ??= new Promise((resolve) => {
        desk.stop();
        server.close(() => resolve());
        server.closeAllConnections();
      });
      return stopped;
    },
  };
}

/** One request that came in, and the way out. */
interface Visit {
  readonly call: SeenCall;
  /** Null where nothing is at the path. */
  readonly match: Match | null;
  readonly dialect: Dialect;
  readonly query: URLSearchParams;
  readonly reply: Reply;
}

/** Takes requests in, one after another, and has them answered. */
class Desk {
  readonly journal = new Journal();
  readonly shop = new Shop();
  readonly videos: VideoShop;
  readonly #options: SimulatorOptions;
  readonly #hashes = new Set<number>();
  readonly #cache: PromptCache | null;
  #stopping = false;

  constructor(options: SimulatorOptions) {
    this.#options = options;
    this.#cache = options.promptCache === true ? new PromptCache() : null;
    this.videos = new VideoShop(options.videoMs);
  }

  stop(): void {
    this.#stopping = true;
    this.journal.stop();
  }

  receive(request: IncomingMessage, response: ServerResponse): void {
    const pieces: Buffer[] = [];
    let size = 0;
    request.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size > BODY_BYTES_MAX) request.destroy();
      else pieces.push(piece);
    });
    request.on('end', () => {
      const bytes = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
      this.#open(request, response, bytes);
    });
  }

  #open(request: IncomingMessage, response: ServerResponse, bytes: Buffer): void {
    const [path = '', query = ''] = (request.url ?? '').split(/\?(.*)/s, 2);
    const match = routes.find(request.method ?? '', path, request.headers);
    const call = describeCall(request, { path, query, bytes, match });
    const dialect =
      match?.endpoint?.dialect ?? (dialects.find((it) => it.speaks(call.path, call.headers)) as Dialect);
    const reply = new Reply(response, {
      headers: () => dialect.replyHeaders(call.id, systemClock.now() - call.at + 1),
      onEnd: (how) => {
        if (how === 'finished' || (how === 'aborted' && !this.#stopping)) this.journal.close(call, how);
      },
    });
    this.journal.add(call);
    const visit: Visit = { call, dialect, match, query: new URLSearchParams(query), reply };
    try {
      this.#answer(visit)?.catch((thrown: unknown) => refuse(visit, thrown));
    } catch (thrown) {
      refuse(visit, thrown);
    }
  }

  #answer(visit: Visit): Promise<void> | void {
    const { call, dialect, match, query, reply } = visit;
    const endpoint = match?.endpoint ?? null;
    if (endpoint === null && (match !== null || call.path !== dialect.modelsPath)) {
      throw match === null
        ? dialect.unknownPath(call.method, call.path)
        : dialect.wrongMethod(call.method, call.path);
    }
    const key = dialect.readKey(call.headers, query);
    this.#checkKey(dialect, key, call);
    if (endpoint === null) {
      if (call.method !== 'GET') throw dialect.wrongMethod(call.method, call.path);
      reply.sendJson(200, dialect.writeModels([...Object.keys(models), ...faultModels], query));
      return;
    }
    if ('serve' in endpoint) {
      const { headers, body, text } = call;
      return endpoint.serve({
        shop: this.shop,
        videos: this.videos,
        reply,
        body,
        text,
        bytes: call.bytes,
        headers,
        query,
        params: match?.params ?? {},
      });
    }
    const exact = this.shop.answers.find(call.body, call.text);
    if (exact !== null) {
      return sayExactly(exact, { reply, stream: call.stream, byteType: dialect.byteStreams });
    }
    const read = endpoint.read(seeFiles(call, dialect, this.shop), {
      headers: call.headers,
      query,
      params: match?.params ?? {},
    });
    const script = this.#cache?.serve(read) ?? read;
    const cues = readCues(call.headers, script.asked);
    const play = findFault(script.model, cues.fault) ?? playWell;
    return play({
      endpoint,
      script,
      cues: { ...cues, paceMs: cues.paceMs ?? this.#options.paceMs ?? null },
      reply,
      path: call.path,
      requestId: call.id,
      key,
      firstTime: (hash) => this.#firstTime(hash),
    });
  }

  #checkKey(dialect: Dialect, key: string | null, call: SeenCall): void {
    const { apiKey } = this.#options;
    if (apiKey === undefined) return;
    if (key === null) throw dialect.missingKey();
    if (!(dialect.accepts?.(apiKey, call) ?? key === apiKey)) throw dialect.wrongKey(key);
  }

  #firstTime(hash: number): boolean {
    if (this.#hashes.has(hash)) return false;
    if (this.#hashes.size >= HASHES_MAX) this.#hashes.clear();
    this.#hashes.add(hash);
    return true;
  }
}

function describeCall(
  request: IncomingMessage,
  seen: { path: string; query: string; bytes: Buffer; match: Match | null },
): SeenCall {
  const { path, query, match } = seen;
  const { text, bytes, body } = readBody(seen.bytes, request.headers['content-type']);
  const fields: Json = body instanceof Form ? { model: body.text('model') } : (record(body) ?? {});
  const model = match?.params.model ?? fields.model;
  return {
    id: `req_${randomBase62(32)}`,
    at: systemClock.now(),
    method: request.method ?? '',
    path,
    query,
    headers: request.headers,
    text,
    bytes,
    body,
    model: typeof model === 'string' ? model : '',
    stream: match?.endpoint?.streams ?? fields.stream === true,
    finished: false,
    aborted: false,
  };
}

function readBody(bytes: Buffer, type: string | undefined): Pick<SeenCall, 'text' | 'bytes' | 'body'> {
  if (isMultipart(type)) return { text: '', bytes, body: readForm(bytes, type) ?? undefined };
  if (/^(?:image|video|audio)\//.test(type ?? '')) return { text: '', bytes, body: undefined };
  const text = bytes.toString('utf8');
  return { text, bytes: NO_BYTES, body: text === '' ? undefined : parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What is not a Refusal is a mistake in the simulator; it is shown, because only tests can see it. */
function refuse({ reply, dialect, call }: Visit, thrown: unknown): void {
  if (reply.gone) return;
  if (reply.opened) {
    reply.cut();
    return;
  }
  const refusal =
    thrown instanceof Refusal
      ? thrown
      : new Refusal(500, `simulator_bug: ${(thrown as Error)?.stack}`, { type: 'simulator_bug' });
  reply.sendJson(refusal.status, dialect.writeRefusal(refusal, call.id), refusal.headers);
}
