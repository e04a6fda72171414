/** Connects to a proxy, and opens tunnels through it: with CONNECT, or with SOCKS5. */
import { connect as connectTcp, isIP, type Socket, type TcpNetConnectOpts } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { KIB } from '../kernel/bytes.ts';
import { type ForwardProxy, ProxyError } from './proxies.ts';
import { openSocksTunnel } from './socks-tunnel.ts';

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
