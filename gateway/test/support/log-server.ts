/** The log API over a store, without a database and sessions. It can be restarted. */
import type { EdgeRequest } from '../../src/edge/edge-request.ts';
import type { EdgeResponse } from '../../src/edge/edge-response.ts';
import { Exchange } from '../../src/http/exchange.ts';
import { FairQueue } from '../../src/http/fair-queue.ts';
import { readLogQuery } from '../../src/http/read-log-query.ts';
import { sendText } from '../../src/http/stream-text.ts';
import { asProblem } from '../../src/kernel/problem.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { LogService } from '../../src/logs/log-service.ts';
import type { LogStore } from '../../src/logs/source.ts';
import { startEdge } from './edge.ts';

export interface LogServer {
  readonly url: string;
  readonly troubles: unknown[];
  readonly service: () => LogService;
  /** As if another process took over: streams are closed and feeds are gone. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startLogServer(store: LogStore): Promise<LogServer> {
  const troubles: unknown[] = [];
  // A service closes its store when it stops, but the next service needs it.
  const shared: LogStore = {
    discover: (project, signal) => store.discover(project, signal),
    read: (source, options, signal) => store.read(source, options, signal),
    knows: (position) => store.knows(position),
    close: () => Promise.resolve(),
  };
  const make = (): LogService =>
    new LogService({
      ...{ store: shared, clock: systemClock },
      limits: { perPerson: 5_000, perProject: 5_000 },
      onTrouble: (error) => troubles.push(error),
    });
  let service = make();
  const serve = async (request: EdgeRequest, response: EdgeResponse): Promise<void> => {
    const exchange = new Exchange(request, response, {
      id: 'req_test',
      startedAt: 0,
      startedMs: 0,
      queue: new FairQueue(),
    });
    try {
      const project = /^\/api\/projects\/([a-z-]+)\/logs/.exec(request.url)?.[1] ?? '';
      const stream = service.open({ ...readLogQuery(request.url, request.headers), project }, 'person');
      response.on('close', () => stream.close());
      await stream.begin();
      const { pieces, signal } = stream;
      await sendText(exchange, { contentType: 'application/x-ndjson', pieces, endless: true, signal });
      stream.close();
    } catch (error) {
      const problem = asProblem(error);
      if (problem.code === 'internal_error') troubles.push(problem.cause);
      exchange.fail(problem);
    }
  };
  const { server, url } = await startEdge((request, response) => void serve(request, response));
  return {
    url,
    troubles,
    service: () => service,
    async restart() {
      const old = service;
      service = make();
      await old.stop();
    },
    async stop() {
      await service.stop();
      await store.close();
      server.stop();
    },
  };
}
