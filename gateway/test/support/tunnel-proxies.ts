/** Proxies that connect as asked and note where to: HTTP CONNECT, and SOCKS5 with a name and a password. */
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';

export interface TestProxy {
  readonly port: number;
  /** `host:port` of each connection, with the login it came with. */
  readonly connections: string[];
  stop(): Promise<void>;
}

export async function startConnectProxy(): Promise<TestProxy> {
  const connections: string[] = [];
  const server = createHttpServer();
  server.on('connect', (request, client: Socket) => {
    const login = Buffer.from(request.headers['proxy-authorization']?.slice(6) ?? '', 'base64');
    connections.push(`${request.url} ${login}`);
    const [host = '', port] = (request.url ?? '').split(':');
    const upstream = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      join(client, upstream);
    });
  });
  return await listen(server, connections);
}

export async function startSocksProxy(): Promise<TestProxy> {
  const connections: string[] = [];
  const server = createTcpServer((client) => {
    serveSocks(client, connections).catch(() => client.destroy());
  });
  return await listen(server, connections);
}

async function serveSocks(client: Socket, connections: string[]): Promise<void> {
  client.on('error', () => client.destroy());
  const [, methods = 0] = await read(client, 2);
  await read(client, methods);
  client.write(Buffer.from([5, 2]));
  const name = await readText(client, (await read(client, 2))[1]);
  const password = await readText(client, (await read(client, 1))[0]);
  client.write(Buffer.from([1, 0]));
  const host = await readText(client, (await read(client, 5))[4]);
  const port = (await read(client, 2)).readUInt16BE();
  connections.push(`${host}:${port} ${name}:${password}`);
  const upstream = connect(port, host, () => {
    client.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
    join(client, upstream);
  });
}

async function readText(socket: Socket, bytes = 0): Promise<string> {
  return (await read(socket, bytes)).toString('utf8');
}

async function read(socket: Socket, bytes: number): Promise<Buffer> {
  for (;;) {
    const found = socket.read(bytes) as Buffer | null;
    if (found !== null) return found;
    await once(socket, 'readable');
  }
}

function join(client: Socket, upstream: Socket): void {
  client.pipe(upstream);
  upstream.pipe(client);
  for (const [one, other] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
  }
}

async function listen(server: Server, connections: string[]): Promise<TestProxy> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    connections,
    async stop() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
