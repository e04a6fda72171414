/**
 * The measure of things, a process of its own: the least a gateway written in Node can do. It reads
 * the body, looks at the model, sends it on and relays the answer. It knows no keys, prices nothing
 * and remembers nothing.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { type Dispatcher, Pool } from 'undici';
import { listenForParent } from './child-process.ts';

const CONNECTIONS_MAX = 4_096;
const BODY_BYTES_MAX = 16 * 1024 * 1024;
const pool = new Pool(process.argv[2] ?? '', { connections: CONNECTIONS_MAX, pipelining: 1 });

const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) request.destroy();
  });
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    const { model } = JSON.parse(body.toString('utf8')) as { model?: unknown };
    if (typeof model !== 'string') {
      response.writeHead(400).end();
      return;
    }
    const headers = { 'content-type': 'application/json' };
    pool.dispatch({ path: request.url ?? '/', method: 'POST', headers, body }, new Relay(response));
  });
});

class Relay implements Dispatcher.DispatchHandler {
  readonly #response: ServerResponse;
  readonly #chunks: Buffer[] = [];
  #status = 502;
  #type = '';
  #streams = false;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const response = this.#response;
    response.on('drain', () => controller.resume());
    response.on('close', () => {
      if (!response.writableFinished) controller.abort(new Error('the caller left'));
    });
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#type = headers['content-type'] ?? '';
    this.#streams = this.#type.startsWith('text/event-stream');
    if (this.#streams) this.#response.writeHead(status, { 'content-type': this.#type });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#streams) this.#chunks.push(chunk);
    else if (!this.#response.write(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    if (this.#streams) {
      this.#response.end();
      return;
    }
    const body = Buffer.concat(this.#chunks);
    this.#response.writeHead(this.#status, { 'content-type': this.#type, 'content-length': body.length });
    this.#response.end(body);
  }

  onResponseError(): void {
    if (this.#response.headersSent) this.#response.destroy();
    else this.#response.writeHead(502).end();
  }
}

listenForParent(server);
