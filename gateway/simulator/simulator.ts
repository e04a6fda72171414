/**
 * The simulator: a stand-in for model providers, as a real HTTP server. It owns the conversation
 * over HTTP and the journal of it; what is said comes from the brain, in the words of a protocol,
 * spoiled by a fault where one is asked for. It knows nothing of the gateway.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomBase62 } from '../src/kernel/ids.ts';
import { systemClock } from '../src/kernel/time.ts';
import { readCues } from './cues.ts';
import { faultModels, findFault } from './faults.ts';
import { Journal, type SeenCall } from './journal.ts';
import { chatCompletions } from './openai/chat.ts';
import { writeModels } from './openai/list-models.ts';
import { missingKey, notJson, unknownPath, writeRefusal, wrongKey, wrongMethod } from './openai/refusals.ts';
import { openAiHeaders } from './openai/reply-headers.ts';
import { playWell } from './play.ts';
import { Refusal } from './refusal.ts';
import { Reply } from './reply.ts';
import type { Endpoint } from './script.ts';

export interface SimulatorOptions {
  /** Zero or nothing takes a free one. */
  readonly port?: number;
  readonly host?: string;
  /** The pause between the frames of a stream where the caller asks for none. */
  readonly paceMs?: number;
  /** Where one is given, requests with another key or none are refused. */
  readonly apiKey?: string;
}

export interface Simulator {
  /** Such as `http://127.0.0.1:4010/v1`. */
  readonly url: string;
  /** The latest calls, newest last; their marks change as they go on. */
  readonly calls: readonly SeenCall[];
  /** The first call that satisfies, as soon as one does, be it by arriving or by a change of its marks. */
  waitFor(predicate: (call: SeenCall) => boolean): Promise<SeenCall>;
  stop(): Promise<void>;
}

const MODELS_PATH = '/v1/models';
const BODY_BYTES_MAX = 256 * 1024 * 1024;
const HASHES_MAX = 10_000;
/** Longer than any client keeps an idle connection, so that it is never the server that closes it. */
const KEEP_ALIVE_MS = 300_000;

const endpoints: ReadonlyMap<string, Endpoint> = new Map([[chatCompletions.path, chatCompletions]]);

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
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/v1`,
    calls: desk.journal.calls,
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

/** Takes requests in, one after another, and has them answered. */
class Desk {
  readonly journal = new Journal();
  readonly #options: SimulatorOptions;
  readonly #hashes = new Set<number>();
  #stopping = false;

  constructor(options: SimulatorOptions) {
    this.#options = options;
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
      const text = (pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)).toString('utf8');
      this.#open(request, response, text);
    });
  }

  #open(request: IncomingMessage, response: ServerResponse, text: string): void {
    const call = describeCall(request, text);
    const reply = new Reply(response, {
      headers: () => openAiHeaders(call.id, systemClock.now() - call.at + 1),
      onEnd: (how) => {
        if (how === 'finished' || (how === 'aborted' && !this.#stopping)) this.journal.close(call, how);
      },
    });
    this.journal.add(call);
    try {
      this.#answer(call, reply)?.catch((thrown: unknown) => refuse(reply, thrown));
    } catch (thrown) {
      refuse(reply, thrown);
    }
  }

  #answer(call: SeenCall, reply: Reply): Promise<void> | void {
    const endpoint = this.#admit(call);
    if (endpoint === null) {
      reply.sendJson(200, writeModels(faultModels));
      return;
    }
    if (call.body === undefined) throw notJson();
    const script = endpoint.read(call.body);
    const cues = readCues(call.headers, script.asked);
    const play = findFault(script.model, cues.fault) ?? playWell;
    return play({
      endpoint,
      script,
      cues: { ...cues, paceMs: cues.paceMs ?? this.#options.paceMs ?? null },
      reply,
      key: endpoint.readKey(call.headers),
      firstTime: (hash) => this.#firstTime(hash),
    });
  }

  /** The endpoint that was called with a good key; null is the list of models. */
  #admit(call: SeenCall): Endpoint | null {
    const endpoint = endpoints.get(call.path);
    if (endpoint === undefined && call.path !== MODELS_PATH) throw unknownPath(call.method, call.path);
    if (call.method !== (endpoint?.method ?? 'GET')) throw wrongMethod(call.method, call.path);
    const { apiKey } = this.#options;
    if (apiKey !== undefined) {
      const key = (endpoint ?? chatCompletions).readKey(call.headers);
      if (key === null) throw missingKey();
      if (key !== apiKey) throw wrongKey(key);
    }
    return endpoint ?? null;
  }

  #firstTime(hash: number): boolean {
    if (this.#hashes.has(hash)) return false;
    if (this.#hashes.size >= HASHES_MAX) this.#hashes.clear();
    this.#hashes.add(hash);
    return true;
  }
}

function describeCall(request: IncomingMessage, text: string): SeenCall {
  const body = text === '' ? undefined : parse(text);
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  return {
    id: `req_${randomBase62(32)}`,
    at: systemClock.now(),
    method: request.method ?? '',
    path: (request.url ?? '').split('?', 1)[0] as string,
    headers: request.headers,
    text,
    body,
    model: typeof fields.model === 'string' ? fields.model : '',
    stream: fields.stream === true,
    finished: false,
    aborted: false,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What is not a Refusal is a mistake in the simulator; it is shown, because only tests can see it. */
function refuse(reply: Reply, thrown: unknown): void {
  if (reply.gone) return;
  if (reply.opened) {
    reply.cut();
    return;
  }
  const refusal =
    thrown instanceof Refusal
      ? thrown
      : new Refusal(500, String((thrown as Error)?.stack), { type: 'simulator_bug' });
  reply.sendJson(refusal.status, writeRefusal(refusal), refusal.headers);
}
