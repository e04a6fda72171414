/** A small forward proxy: tunnels with CONNECT, forwards absolute-form requests, and notes what it was asked for. */
import { createServer, request as requestHttp } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

export interface ForwardProxyStage {
  readonly port: number;
  /** `CONNECT model.example:443`, `POST http://model.example/v1/…`, the oldest first. */
  readonly asked: string[];
  /** The `Proxy-Authorization` of each. */
  readonly authorizations: Array<string | undefined>;
  /** Closes all connections and answers everything with this status from now on; null: works. */
  refuseWith(status: number | null): void;
  stop(): Promise<void>;
}

/** `hosts` maps `name:port` to the port on this machine that plays it. */
export async function startForwardProxy(hosts: Readonly<Record<string, number>>): Promise<ForwardProxyStage> {
  const asked: string[] = [];
  const authorizations: Array<string | undefined> = [];
  const sockets = new Set<Socket>();
  let refusal: number | null = null;
  const note = (line: string, authorization: string | undefined): void => {
    asked.push(line);
    authorizations.push(authorization);
  };
  const server = createServer((request, response) => {
    note(`${request.method} ${request.url}`, request.headers['proxy-authorization']);
    const url = URL.canParse(request.url ?? '') ? new URL(request.url ?? '') : null;
    const port = url === null ? undefined : hosts[`${url.hostname}:${url.port || '80'}`];
    if (refusal !== null || url === null || port === undefined) {
      response.writeHead(refusal ?? 502).end();
      return;
    }
    const { 'proxy-authorization': _, ...headers } = request.headers;
    const path = `${url.pathname}${url.search}`;
    const forwarded = requestHttp(
      { host: '127.0.0.1', port, method: request.method, path, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    forwarded.on('error', () => response.destroy());
    request.pipe(forwarded);
  });
  server.on('connect', (request, near: Socket) => {
    note(`CONNECT ${request.url}`, request.headers['proxy-authorization']);
    const port = hosts[request.url ?? ''];
    near.on('error', () => undefined);
    if (refusal !== null || port === undefined) {
      near.end(`HTTP/1.1 ${refusal ?? 502} Refused\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const far = connect({ host: '127.0.0.1', port }, () => {
      near.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      near.pipe(far).pipe(near);
    });
    far.on('error', () => near.destroy());
    near.on('close', () => far.destroy());
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    authorizations,
    refuseWith(status) {
      refusal = status;
      if (status !== null) for (const socket of sockets) socket.destroy();
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
