/** A provider that now and then has no time: it says so, and else is the simulator. */
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface BusyProvider {
  readonly origin: string;
  forwardTo(origin: string): void;
  /** Refuses so many requests from now on. */
  refuse(requests: number): void;
  stop(): Promise<void>;
}

/** In seconds; the gateway tells it in milliseconds too, so that most clients are back at once. */
const RETRY_AFTER = '0.01';

export async function startBusyProvider(): Promise<BusyProvider> {
  let target = '';
  let refusals = 0;
  const server = createServer((asked, answer) => {
    if (refusals > 0) {
      refusals--;
      asked.resume();
      answer.writeHead(429, { 'content-type': 'application/json', 'retry-after': RETRY_AFTER });
      answer.end(JSON.stringify({ error: { message: 'Slow down', type: 'rate_limit_error' } }));
      return;
    }
    const { method, headers } = asked;
    const sent = httpRequest(`${target}${asked.url}`, { method, headers, agent: false }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
    });
    asked.pipe(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forwardTo(origin) {
      target = origin;
    },
    refuse(requests) {
      refusals = requests;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
