/**
 * How a request of transfer.ts reaches its host: directly, through a tunnel of a proxy, or forwarded by one. Where the
 * caller has checked addresses, the connection goes to one of those, whatever the name resolves to by then.
 */
import { isIPv6, type LookupFunction, type Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { connectToProxy, openTunnel, proxyUnreachable } from './open-tunnel.ts';
import type { ForwardProxy, Proxies } from './proxies.ts';

export interface Destination {
  /** Of the server that is connected to: the host's, or the proxy's where it forwards. */
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connect: buildConnector.connector;
  requestTarget(path: string): string;
  /** Names the proxy where the connection failed at it. */
  explain(error: Error): Error;
}

export function destinationOf(
  url: URL,
  options: {
    buildConnector: typeof buildConnector;
    addresses?: readonly string[] | null;
    ca?: string;
    proxies?: Proxies;
  },
): Destination {
  const { addresses = null, ca } = options;
  const proxy = options.proxies?.proxyFor(url) ?? null;
  const base = url.pathname.replace(/\/$/, '');
  const direct = options.buildConnector({
    allowH2: false,
    timeout: 0,
    maxCachedSessions: 0,
    ...(addresses !== null && { lookup: pinnedTo(addresses) }),
    ...(ca !== undefined && { ca }),
  });
  const plain = { origin: url.origin, headers: {}, requestTarget: (path: string) => `${base}${path}` };
  if (proxy === null) return { ...plain, connect: direct, explain: (error) => error };
  const explain = (error: Error): Error => proxyUnreachable(proxy, error);
  // A forwarding proxy would look the name up again, so checked addresses always take a tunnel.
  if (url.protocol === 'https:' || addresses !== null) {
    return { ...plain, connect: throughTunnel(proxy, addresses, direct), explain };
  }
  return {
    origin: `${proxy.secure ? 'https' : 'http'}://${isIPv6(proxy.host) ? `[${proxy.host}]` : proxy.host}:${proxy.port}`,
    headers: {
      host: url.host,
      ...(proxy.authorization !== null && { 'proxy-authorization': proxy.authorization.reveal() }),
    },
    connect: (target, callback) =>
      direct(target, (...[error, socket]) =>
        error === null ? callback(null, socket) : callback(explain(error), null),
      ),
    requestTarget: (path) => `${url.origin}${base}${path}`,
    explain,
  };
}

function throughTunnel(
  proxy: ForwardProxy,
  addresses: readonly string[] | null,
  secure: buildConnector.connector,
): buildConnector.connector {
  return (target, callback) => {
    const host = addresses?.[0] ?? target.hostname.replace(/^\[(.*)\]$/, '$1');
    const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80);
    const socket: Socket = connectToProxy(proxy);
    const onError = (error: Error): void => callback(proxyUnreachable(proxy, error), null);
    const onClose = (): void =>
      callback(proxyUnreachable(proxy, new Error('it closed the connection')), null);
    socket.once('error', onError).once('close', onClose);
    openTunnel(socket, { proxy, host, port }, () => {
      socket.off('error', onError).off('close', onClose);
      if (target.protocol === 'https:') secure({ ...target, httpSocket: socket }, callback);
      else callback(null, socket);
    });
  };
}

/** Only asked for the host of the request, which has these addresses. */
function pinnedTo(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_, options, callback) => {
    const [first] = all;
    if (first === undefined) callback(new Error('no address'), '', 4);
    else if (options.all) callback(null, all);
    else callback(null, first.address, first.family);
  };
}
