/** The operations listener: metrics for Prometheus, never on the public port. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Stoppable } from '../kernel/running.ts';
import type { Metrics } from '../telemetry/metrics.ts';

export class OpsServer implements Stoppable {
  readonly #server: Server;

  constructor(metrics: Metrics) {
    this.#server = createServer((request, response) => {
      if (request.url !== '/metrics') {
        response.writeHead(404).end('Not found. This port serves /metrics only.\n');
        return;
      }
      metrics.registry.metrics().then(
        (text) => response.writeHead(200, { 'content-type': metrics.registry.contentType }).end(text),
        () => response.writeHead(500).end('The metrics could not be read.\n'),
      );
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
