/**
 * A gateway whose log streams a test writes by hand: everything else passes through to the real one. Streams can be
 * cut, ended or answered with an error.
 */
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestGateway } from './gateway.ts';

const LOGS = /^\/api\/projects\/([\w-]+)\/logs(?:\?|$)/;
const START_MS = Date.parse('2026-11-15T03:00:00Z');

/** One request of a viewer for the logs of a project. */
export class ScriptedStream {
  readonly query: URLSearchParams;
  readonly #response: ServerResponse;

  constructor(incoming: IncomingMessage, response: ServerResponse) {
    this.query = new URL(incoming.url ?? '', 'http://here').searchParams;
    this.#response = response;
  }

  /** Answers with 200 and no byte yet. */
  open(): this {
    this.#response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    this.#response.flushHeaders();
    return this;
  }

  /** Lines that say their number, a millisecond apart. */
  lines(from: number, to: number, pod = 'web-1'): this {
    let text = '';
    for (let n = from; n < to; n++) text += `${JSON.stringify(lineBody(n, `line ${n}`, pod))}\n`;
    return this.raw(text);
  }

  line(n: number, content: string, pod = 'web-1'): this {
    return this.raw(`${JSON.stringify(lineBody(n, content, pod))}\n`);
  }

  event(event: Record<string, unknown>): this {
    return this.raw(`${JSON.stringify(event)}\n`);
  }

  raw(bytes: string | Uint8Array): this {
    if (!this.#response.headersSent) this.open();
    this.#response.write(bytes);
    return this;
  }

  /** The number of the last line that the viewer has. */
  get after(): number {
    return Number(/@(\d+)-/.exec(this.query.get('after') ?? '')?.[1]);
  }

  cut(): void {
    this.#response.destroy();
  }

  end(): void {
    this.event({ last: true });
    this.#response.end();
  }

  answer(status: number, body: object = {}, headers: OutgoingHttpHeaders = {}): void {
    this.#response.writeHead(status, { 'content-type': 'application/json', ...headers });
    this.#response.end(JSON.stringify(body));
  }
}

function lineBody(n: number, content: string, podName: string): object {
  const timeStamp = `${new Date(START_MS + n).toISOString().slice(0, -1)}000000Z`;
  return { content, podName, timeStamp, last: false, id: `${podName}/app/0@${n}-1.1` };
}

/** The instant of a line. */
export function lineTime(n: number): string {
  return new Date(START_MS + n).toISOString();
}

export class ScriptedLogs {
  /** The gateway as the browser sees it. */
  readonly gateway: TestGateway;
  readonly #server: ReturnType<typeof createServer>;
  readonly #streams = new Map<string, ScriptedStream[]>();
  readonly #takers = new Map<string, Array<(stream: ScriptedStream) => void>>();

  private constructor(gateway: TestGateway, server: ReturnType<typeof createServer>) {
    this.#server = server;
    const { port } = server.address() as AddressInfo;
    this.gateway = { ...gateway, url: `http://127.0.0.1:${port}` };
  }

  static async start(gateway: TestGateway): Promise<ScriptedLogs> {
    const made: ScriptedLogs[] = [];
    const server = createServer((incoming, response) => {
      const project = LOGS.exec(incoming.url ?? '')?.[1];
      if (project === undefined || project.startsWith('real')) passOn(gateway.url, incoming, response);
      else for (const logs of made) logs.#take(project, new ScriptedStream(incoming, response));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const logs = new ScriptedLogs(gateway, server);
    made.push(logs);
    return logs;
  }

  /** The next stream that a viewer asks for. */
  next(project: string): Promise<ScriptedStream> {
    const waiting = this.#streams.get(project)?.shift();
    if (waiting !== undefined) return Promise.resolve(waiting);
    return new Promise((resolve) => {
      this.#takers.set(project, [...(this.#takers.get(project) ?? []), resolve]);
    });
  }

  /** Requests that nobody took yet. */
  waiting(project: string): number {
    return this.#streams.get(project)?.length ?? 0;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #take(project: string, stream: ScriptedStream): void {
    const taker = this.#takers.get(project)?.shift();
    if (taker !== undefined) taker(stream);
    else this.#streams.set(project, [...(this.#streams.get(project) ?? []), stream]);
  }
}

function passOn(url: string, incoming: IncomingMessage, response: ServerResponse): void {
  const { method, headers } = incoming;
  const onward = request(`${url}${incoming.url}`, { ...(method && { method }), headers }, (reply) => {
    response.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(response);
  });
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  incoming.pipe(onward);
}
