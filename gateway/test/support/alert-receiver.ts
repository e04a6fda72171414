/** A receiver of webhooks for tests: a real HTTP server that keeps what it gets, and answers as it is asked to. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { sql } from '../../src/database/sql.ts';
import type { TestGateway } from './gateway.ts';

export interface ReceivedAlert {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface AlertMessage {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export type Answer = (response: ServerResponse, received: ReceivedAlert) => void;

export class AlertReceiver {
  readonly received: ReceivedAlert[] = [];
  /** The answers to come; then always 204. */
  readonly answers: Answer[] = [];
  readonly #server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (piece: string) => {
      body += piece;
    });
    request.on('end', () => {
      const received = { path: request.url ?? '', headers: request.headers, body };
      this.received.push(received);
      const answer = this.answers.shift();
      if (answer === undefined) response.writeHead(204).end();
      else answer(response, received);
    });
  });

  static async start(): Promise<AlertReceiver> {
    const receiver = new AlertReceiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What arrived of a kind, with its signature verified by the public library. */
  messages(secret: string, kind?: string): AlertMessage[] {
    const webhook = new Webhook(secret);
    const all = this.received.map(
      ({ body, headers }) => webhook.verify(body, headers as Record<string, string>) as AlertMessage,
    );
    return all.filter(({ type }) => kind === undefined || type === kind);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Makes the jobs of alerts due that wait for their time: the next look for events, and the next attempts. */
export async function hurryAlerts(gateway: Pick<TestGateway, 'query'>): Promise<void> {
  await gateway.query(sql`
    update jobs set due_at = least(due_at, created_at) where kind in ('alert', 'alert-sweep') and lease_until is null`);
  await gateway.query(sql`select pg_notify('tollgate_jobs', '')`);
}
