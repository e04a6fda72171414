/**
 * Which requests go through a forward proxy, as HTTPS_PROXY, HTTP_PROXY and NO_PROXY say (also in lower case, which
 * takes precedence, as in curl). Loopback addresses are never proxied.
 */
import { BlockList, isIP } from 'node:net';
import { Secret } from '../kernel/secret.ts';

export interface ForwardProxy {
  readonly host: string;
  readonly port: number;
  /** Whether the connection to the proxy itself uses TLS. */
  readonly secure: boolean;
  /** SOCKS5 instead of HTTP. */
  readonly socks: boolean;
  readonly login: ProxyLogin | null;
  /** The value of `Proxy-Authorization`; null without credentials. */
  readonly authorization: Secret | null;
  /** Its address with credentials. */
  readonly url: Secret;
  /** Its address without credentials, for messages and logs. */
  readonly shown: string;
}

export interface ProxyLogin {
  readonly name: string;
  readonly password: Secret;
}

/** The proxy is unreachable, or refused the request. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
}

export class Proxies {
  readonly #https: ForwardProxy | null;
  readonly #http: ForwardProxy | null;
  readonly #exceptions: readonly Exception[];

  constructor(options: { https?: string; http?: string; exceptions?: string } = {}) {
    this.#https = readProxy('HTTPS_PROXY', options.https ?? '');
    this.#http = readProxy('HTTP_PROXY', options.http ?? '');
    this.#exceptions = (options.exceptions ?? '')
      .split(/[\s,]+/)
      .filter((entry) => entry !== '')
      .map(readException);
  }

  /** Throws ProxyError for an address that is not valid. */
  static fromEnvironment(env: Readonly<Record<string, string | undefined>>): Proxies {
    const read = (name: string): string => env[name.toLowerCase()] || env[name] || '';
    return new Proxies({
      https: read('HTTPS_PROXY'),
      http: read('HTTP_PROXY'),
      exceptions: read('NO_PROXY'),
    });
  }

  /** Null: connect directly. */
  proxyFor(url: URL): ForwardProxy | null {
    const proxy = url.protocol === 'https:' ? this.#https : this.#http;
    if (proxy === null) return null;
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
    const port = url.port || (url.protocol === 'https:' ? '443' : '80');
    if (isLoopback(host)) return null;
    return this.#exceptions.some((exempts) => exempts(host, port)) ? null : proxy;
  }

  /** For the start of the log: addresses without credentials. */
  get shown(): { https: string | null; http: string | null } | null {
    if (this.#https === null && this.#http === null) return null;
    return { https: this.#https?.shown ?? null, http: this.#http?.shown ?? null };
  }

  /** What must not be logged: passwords, also in the form in which they are sent. */
  get secrets(): Secret[] {
    return [this.#https, this.#http].flatMap((proxy) => {
      if (proxy === null || proxy.authorization === null) return [];
      const { password } = new URL(proxy.url.reveal());
      const sent = proxy.authorization.reveal().replace('Basic ', '');
      return [new Secret(decodeURIComponent(password)), new Secret(sent)];
    });
  }
}

type Exception = (host: string, port: string) => boolean;

function readProxy(variable: string, text: string): ForwardProxy | null {
  if (text === '') return null;
  const proxy = readProxyAddress(text.includes('://') ? text : `http://${text}`);
  if (proxy !== null && !proxy.socks) return proxy;
  // The value is not shown: it may contain a password.
  throw new ProxyError(`${variable} must be an address like http://proxy.example.com:3128.`);
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'socks5:': 1080 };

/** Null: not an http, https or socks5 address. */
export function readProxyAddress(address: string): ForwardProxy | null {
  const url = URL.canParse(address) ? new URL(address) : null;
  const defaultPort = DEFAULT_PORTS[url?.protocol ?? ''];
  if (url === null || defaultPort === undefined) return null;
  const [name, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  const basic = Buffer.from(`${name}:${password}`).toString('base64');
  const login = name === '' && password === '' ? null : { name, password: new Secret(password) };
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port) || defaultPort,
    secure: url.protocol === 'https:',
    socks: url.protocol === 'socks5:',
    login,
    authorization: login === null ? null : new Secret(`Basic ${basic}`),
    url: new Secret(url.href),
    shown: `${url.protocol}//${url.host}`,
  };
}

/** `*`, a host with its subdomains (a leading `.` or `*.` changes nothing), an address, or a CIDR range; `:port` limits it. */
function readException(entry: string): Exception {
  if (entry === '*') return () => true;
  const range = /^([0-9a-f:.]+)\/(\d{1,3})$/i.exec(entry);
  if (range !== null && isIP(range[1] as string) !== 0) return inRange(range[1] as string, Number(range[2]));
  const bare = isIP(entry) === 6;
  const [, name = '', port = ''] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(bare ? `[${entry}]` : entry) ?? [];
  const wanted = name
    .toLowerCase()
    .replace(/^\*?\./, '')
    .replace(/\.$/, '');
  return (host, at) => (port === '' || port === at) && (host === wanted || host.endsWith(`.${wanted}`));
}

function inRange(address: string, bits: number): Exception {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  const list = new BlockList();
  if (bits <= (family === 'ipv6' ? 128 : 32)) list.addSubnet(address, bits, family);
  return (host) => isIP(host) !== 0 && list.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4');
}

export function isLoopback(host: string): boolean {
  return /^(?:(?:.+\.)?localhost|\[?::1\]?|127(?:\.\d{1,3}){3})$/i.test(host);
}
