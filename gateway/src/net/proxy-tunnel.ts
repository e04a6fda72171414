/** Connections through a proxy: HTTP CONNECT (`http`, `https`) or SOCKS5 (`socks5`). */
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';

export interface ProxyTarget {
  readonly host: string;
  readonly port: number;
  /** Null: a connection without TLS. */
  readonly tls: ConnectionOptions | null;
}

/** `read` is given the bytes as they arrive. A failure of the proxy destroys the socket with an error. */
export function openThroughProxy(
  proxyUrl: string,
  target: ProxyTarget,
  read: (bytes: Buffer) => void,
): Socket {
  const tunnel = new ProxyTunnel(new URL(proxyUrl), target);
  if (target.tls === null) {
    tunnel.on('data', read);
    return tunnel as unknown as Socket;
  }
  const secure = connectTls({ ...target.tls, socket: tunnel });
  tunnel.on('error', (error) => secure.destroy(error));
  secure.on('close', () => tunnel.destroy());
  secure.on('data', read);
  return secure;
}

const HEAD_BYTES_MAX = 16 * 1024;

/** Emits `connect` when the proxy has connected to the target; what is written before then waits. */
class ProxyTunnel extends Duplex {
  readonly #socket: Socket;
  readonly #opened: Promise<void>;

  constructor(proxy: URL, target: ProxyTarget) {
    super({ allowHalfOpen: false });
    const socket = connectProxy(proxy);
    this.#socket = socket;
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => {
      if (!socket.readableEnded) this.destroy(new Error('the proxy closed the connection'));
    });
    this.#opened =
      proxy.protocol === 'socks5:' ? openSocks(socket, proxy, target) : openHttp(socket, proxy, target);
    this.#opened.then(
      () => {
        socket.on('data', (chunk: Buffer) => {
          if (!this.push(chunk)) socket.pause();
        });
        socket.on('end', () => this.push(null));
        socket.resume();
        this.emit('connect');
      },
      (error: Error) => this.destroy(error),
    );
  }

  setNoDelay(): this {
    this.#socket.setNoDelay(true);
    return this;
  }

  override _read(): void {
    this.#opened.then(
      () => this.#socket.resume(),
      () => undefined,
    );
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#opened.then(() => this.#socket.write(chunk, encoding, done), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#opened.then(() => this.#socket.end(done), done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}

function connectProxy(proxy: URL): Socket {
  const host = hostOf(proxy);
  if (proxy.protocol === 'https:')
    return connectTls({ host, port: Number(proxy.port) || 443, servername: host });
  const port = Number(proxy.port) || (proxy.protocol === 'socks5:' ? 1080 : 80);
  return connectTcp({ host, port });
}

async function openHttp(socket: Socket, proxy: URL, { host, port }: ProxyTarget): Promise<void> {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const { name, password } = loginOf(proxy);
  const login = Buffer.from(`${name}:${password}`).toString('base64');
  const authorization = name === '' ? '' : `proxy-authorization: Basic ${login}\r\n`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n${authorization}\r\n`);
  let head = '';
  while (!head.endsWith('\r\n\r\n')) {
    head += (await readBytes(socket, 1)).toString('latin1');
    if (head.length > HEAD_BYTES_MAX) throw new Error('the proxy sent a response without an end');
  }
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1];
  if (status?.startsWith('2') !== true)
    throw new Error(`the proxy answered ${status ?? 'something else than HTTP'}`);
}

const SOCKS_VERSION = 5;
const [NO_LOGIN, WITH_LOGIN] = [0, 2];

/** RFC 1928, and RFC 1929 for a name and a password. The proxy resolves the host name. */
async function openSocks(socket: Socket, proxy: URL, { host, port }: ProxyTarget): Promise<void> {
  const { name, password } = loginOf(proxy);
  const methods = name === '' ? [NO_LOGIN] : [NO_LOGIN, WITH_LOGIN];
  socket.write(Buffer.from([SOCKS_VERSION, methods.length, ...methods]));
  const method = (await readBytes(socket, 2))[1];
  if (method === WITH_LOGIN) {
    socket.write(Buffer.concat([Buffer.from([1]), withLength(name), withLength(password)]));
    if ((await readBytes(socket, 2))[1] !== 0) throw new Error('the proxy rejected the name or the password');
  } else if (method !== NO_LOGIN) throw new Error('the proxy asks for another kind of login');
  const head = Buffer.from([SOCKS_VERSION, 1, 0, 3]);
  socket.write(Buffer.concat([head, withLength(host), Buffer.from([port >> 8, port & 255])]));
  const [, reply = 0, , addressKind = 0] = await readBytes(socket, 4);
  if (reply !== 0) throw new Error(`the proxy could not connect (SOCKS error ${reply})`);
  const addressBytes =
    addressKind === 3 ? ((await readBytes(socket, 1))[0] ?? 0) : addressKind === 4 ? 16 : 4;
  await readBytes(socket, addressBytes + 2);
}

function withLength(text: string): Buffer {
  const bytes = Buffer.from(text).subarray(0, 255);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

function loginOf(proxy: URL): { name: string; password: string } {
  return { name: decodeURIComponent(proxy.username), password: decodeURIComponent(proxy.password) };
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Exactly so many bytes; what follows them stays in the socket. */
async function readBytes(socket: Socket, count: number): Promise<Buffer> {
  for (;;) {
    const bytes = socket.read(count) as Buffer | null;
    if (bytes !== null && bytes.length === count) return bytes;
    if (socket.destroyed || socket.readableEnded) throw new Error('the proxy closed the connection');
    await once(socket, 'readable');
  }
}
