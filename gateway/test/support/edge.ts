/** A listener with one handler and without the rest of the product. */
import type { EdgeRequest } from '../../src/edge/edge-request.ts';
import type { EdgeResponse } from '../../src/edge/edge-response.ts';
import { EdgeServer, type EdgeServerOptions } from '../../src/edge/edge-server.ts';
import { systemClock } from '../../src/kernel/time.ts';

export interface TestEdge {
  readonly server: EdgeServer;
  readonly url: string;
  readonly port: number;
}

export async function startEdge(
  handle: (request: EdgeRequest, response: EdgeResponse) => void,
  options: Partial<EdgeServerOptions> = {},
): Promise<TestEdge> {
  const server = new EdgeServer({
    clock: systemClock,
    headBytesMax: 16 * 1024,
    headMs: 30_000,
    requestMs: 60_000,
    keepAliveMs: 75_000,
    ...{ stallMs: 60_000, streamStallMs: 60_000, answerMs: 600_000 },
    cut: () => undefined,
    handle,
    answerFault: (fault) => {
      const status = fault === 'request_timeout' ? 408 : /large|many/.test(fault) ? 431 : 400;
      return `HTTP/1.1 ${status} ${fault}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`;
    },
    ...options,
  });
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  return { server, port, url: `http://127.0.0.1:${port}` };
}
