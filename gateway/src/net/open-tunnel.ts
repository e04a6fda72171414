/** Connects to a proxy, and opens tunnels through it: with CONNECT, or with SOCKS5. */
import { once } from 'node:events';
import { connect as connectTcp, isIP, type Socket, type TcpNetConnectOpts } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { KIB } from '../kernel/bytes.ts';
import { type ForwardProxy, ProxyError } from './proxies.ts';

const HEAD_BYTES_MAX = 16 * KIB;

export function connectToProxy(
  { host, port, secure }: ForwardProxy,
  options: Partial<TcpNetConnectOpts> = {},
): Socket {
  if (!secure) return connectTcp({ ...options, host, port });
  const servername = isIP(host) === 0 ? host : '';
  return connectTls({ ...options, host, port, servername, ALPNProtocols: ['http/1.1'] } as ConnectionOptions);
}

/**
 * Asks the proxy behind a socket that is connecting for a tunnel to a host. `ready` is called once the tunnel stands;
 * otherwise the socket is destroyed with a ProxyError.
 */
export function openTunnel(
  socket: Socket,
  { proxy, host, port }: { proxy: ForwardProxy; host: string; port: number },
  ready: () => void,
): void {
  if (proxy.socks) {
    openSocksTunnel(socket, { proxy, host, port }).then(ready, (error: Error) => socket.destroy(error));
    return;
  }
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  socket.once(proxy.secure ? 'secureConnect' : 'connect', () =>
    socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n${authorizationLine(proxy)}\r\n`),
  );
  let head = '';
  const onData = (bytes: Buffer): void => {
    head += bytes.toString('latin1');
    const end = head.indexOf('\r\n\r\n');
    if (end < 0 && head.length <= HEAD_BYTES_MAX) return;
    socket.off('data', onData);
    const failure = failureOf(head, end, proxy);
    if (failure === null) ready();
    else socket.destroy(failure);
  };
  socket.on('data', onData);
}

export function authorizationLine({ authorization }: ForwardProxy): string {
  return authorization === null ? '' : `proxy-authorization: ${authorization.reveal()}\r\n`;
}

/** A failed connection to the proxy itself, named as such. */
export function proxyUnreachable(proxy: ForwardProxy, cause: unknown): ProxyError {
  if (cause instanceof ProxyError) return cause;
  const { message, code } = cause as { message?: string; code?: string };
  const error = new ProxyError(
    `the proxy ${proxy.shown} cannot be reached: ${message ?? 'no reason given'}`,
    { cause },
  );
  // Says whether this machine ran out of something.
  return code === undefined ? error : Object.assign(error, { code });
}

function failureOf(head: string, end: number, { shown }: ForwardProxy): ProxyError | null {
  const status = /^HTTP\/1\.[01] (\d{3})\b/.exec(head)?.[1];
  if (end < 0 || status === undefined) return new ProxyError(`the proxy ${shown} did not answer with HTTP`);
  if (!status.startsWith('2'))
    return new ProxyError(`the proxy ${shown} refused the tunnel with status ${status}`);
  // A TLS server does not speak first, so these bytes are the proxy's own.
  if (head.length > end + 4) return new ProxyError(`the proxy ${shown} sent data before the tunnel was used`);
  return null;
}

const SOCKS_VERSION = 5;
const [NO_LOGIN, WITH_LOGIN] = [0, 2];
const CONNECT = 1;
const [BY_NAME, BY_IPV6] = [3, 4];

/**
 * SOCKS5 (RFC 1928), with a name and a password if there are some (RFC 1929). The proxy resolves the host name. Rejects with a ProxyError; the caller destroys the socket
 * then.
 */
async function openSocksTunnel(
  socket: Socket,
  { proxy, host, port }: { proxy: ForwardProxy; host: string; port: number },
): Promise<void> {
  const failure = (what: string): ProxyError => new ProxyError(`the proxy ${proxy.shown} ${what}`);
  const read = (count: number): Promise<Buffer> => readBytes(socket, count, failure);
  const { login } = proxy;
  const methods = login === null ? [NO_LOGIN] : [NO_LOGIN, WITH_LOGIN];
  socket.write(Buffer.from([SOCKS_VERSION, methods.length, ...methods]));
  const method = (await read(2))[1];
  if (method === WITH_LOGIN && login !== null) {
    const [name, password] = [withLength(login.name), withLength(login.password.reveal())];
    socket.write(Buffer.concat([Buffer.from([1]), name, password]));
    if ((await read(2))[1] !== 0) throw failure('rejected the name or the password');
  } else if (method !== NO_LOGIN) throw failure('asks for another kind of login');
  const head = Buffer.from([SOCKS_VERSION, CONNECT, 0, BY_NAME]);
  socket.write(Buffer.concat([head, withLength(host), Buffer.from([port >> 8, port & 255])]));
  const [, reply = 0, , addressKind = 0] = await read(4);
  if (reply !== 0) throw failure(`could not connect (SOCKS error ${reply})`);
  const addressBytes = addressKind === BY_NAME ? ((await read(1))[0] ?? 0) : addressKind === BY_IPV6 ? 16 : 4;
  await read(addressBytes + 2);
}

function withLength(text: string): Buffer {
  const bytes = Buffer.from(text).subarray(0, 255);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

/** Exactly so many bytes; what follows them stays in the socket. */
async function readBytes(
  socket: Socket,
  count: number,
  failure: (what: string) => ProxyError,
): Promise<Buffer> {
  for (;;) {
    const bytes = socket.read(count) as Buffer | null;
    if (bytes !== null && bytes.length === count) return bytes;
    if (socket.destroyed || socket.readableEnded) throw failure('closed the connection');
    await Promise.race([once(socket, 'readable'), once(socket, 'close')]);
  }
}
