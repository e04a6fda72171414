/** The operations listener: metrics, health and readiness, never on the public port. */

import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Stoppable } from '../kernel/running.ts';

export interface OpsAnswers {
  /** The page that Prometheus reads, in a format that it accepts. */
  readonly metrics: (accept: string) => Promise<{ readonly text: string; readonly contentType: string }>;
  readonly health: () => object;
  /** Why the process should get no work; null if it is ready. */
  readonly notReady: () => string | null;
}

export class OpsServer implements Stoppable {
  readonly #server: Server;

  constructor(answers: OpsAnswers) {
    this.#server = createServer((request, response) => {
      switch (request.url) {
        case '/metrics':
          sendMetrics(response, answers, request.headers.accept ?? '');
          break;
        case '/health':
          sendJson(response, 200, { status: 'ok', ...answers.health() });
          break;
        case '/ready':
          sendReadiness(response, answers);
          break;
        default:
          response.writeHead(404).end('Not found. This port serves /metrics, /health and /ready.\n');
      }
    });
  }

  async listen(at: { host: string; port: number }): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(at.port, at.host, resolve);
    });
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

function sendMetrics(response: ServerResponse, { metrics }: OpsAnswers, accept: string): void {
  metrics(accept).then(
    ({ text, contentType }) => response.writeHead(200, { 'content-type': contentType }).end(text),
    () => response.writeHead(500).end('The metrics could not be read.\n'),
  );
}

function sendReadiness(response: ServerResponse, { notReady }: OpsAnswers): void {
  const reason = notReady();
  if (reason === null) sendJson(response, 200, { status: 'ready' });
  else sendJson(response, 503, { status: 'not_ready', reason });
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
