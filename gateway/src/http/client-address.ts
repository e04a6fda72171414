/** The address of a client, and whether it uses https. Pure. */
import { isIPv6 } from 'node:net';
import { isLoopback } from '../net/proxies.ts';

export interface ProxyTrust {
  /** True if the last proxy before the gateway is the operator's own, so that its headers are trusted. */
  readonly trustProxy: boolean;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * The client's address for counting. For IPv6 only the network, because a client can use every address in it.
 * A proxy appends the address that it saw to the list; everything before was sent by the client.
 */
export function clientAddress(
  request: { headers: Headers; remoteAddress: string | undefined },
  { trustProxy }: ProxyTrust,
): string {
  const named = trustProxy ? String(request.headers['x-forwarded-for'] ?? '') : '';
  const last = named.slice(named.lastIndexOf(',') + 1).trim();
  return networkOf(last === '' ? (request.remoteAddress ?? 'unknown') : last);
}

/** Whether browsers use https: the public URL says so, or a proxy that is trusted. */
export function usesHttps(
  headers: { readonly 'x-forwarded-proto'?: string | string[] | undefined },
  { publicUrl, trustProxy }: ProxyTrust & { readonly publicUrl: string | null },
): boolean {
  if (publicUrl?.startsWith('https:')) return true;
  return trustProxy && headers['x-forwarded-proto'] === 'https';
}

/**
 * The origin at which a connection reached the gateway, used if no public URL is configured. The Host header is not
 * trusted: with it, a caller could make a link lead anywhere.
 */
export function listeningOrigin(socket: {
  localAddress?: string | undefined;
  localPort?: number | undefined;
}): string {
  const address = (socket.localAddress ?? 'localhost').replace(/^::ffff:(?=\d+\.)/i, '');
  return `http://${isIPv6(address) ? `[${address}]` : address}:${socket.localPort}`;
}

/**
 * The origin of this server for browsers: the public URL if there is one, else this machine. Another Host is not
 * trusted.
 */
export function browserOrigin(
  request: { headers: Headers; socket: Parameters<typeof listeningOrigin>[0] },
  publicUrl: string | null,
): string {
  if (publicUrl !== null) return publicUrl;
  const host = `http://${String(request.headers.host ?? '')}`;
  const isOwn = URL.canParse(host) && new URL(host).origin === host && isLoopback(new URL(host).hostname);
  return isOwn ? host : listeningOrigin(request.socket);
}

const ADDRESS_CHARACTERS_MAX = 64;
const NETWORK_GROUPS = 4;
const GROUPS = 8;

function networkOf(text: string): string {
  const address = text.replace(/^::ffff:(?=\d+\.)/i, '').slice(0, ADDRESS_CHARACTERS_MAX);
  if (!isIPv6(address)) return address;
  const [head = '', tail] = (address.split('%', 1)[0] as string).split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const [first, last] = [groups(head), tail === undefined ? [] : groups(tail)];
  const zeros = Array<string>(Math.max(GROUPS - first.length - last.length, 0)).fill('0');
  const all = tail === undefined ? first : [...first, ...zeros, ...last];
  const network = all.slice(0, NETWORK_GROUPS).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}
