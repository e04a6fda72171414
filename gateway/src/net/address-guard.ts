/**
 * Checks every address that the gateway or a provider will fetch for a caller. All IP addresses of the host must be on the
 * public internet, unless the operator allowed the host.
 */
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Problem } from '../kernel/problem.ts';
import { isPublicAddress } from './public-address.ts';

/** Returns all addresses of a name, possibly none. */
export type ResolveName = (name: string) => Promise<readonly string[]>;

export interface AddressWanted {
  /** The request field that contains it. */
  readonly param: string;
  readonly schemes: readonly ('http' | 'https')[];
}

/** An address that may be fetched, and the only IP addresses to connect to; null if the operator allowed the host. */
export interface CheckedAddress {
  readonly url: URL;
  readonly addresses: readonly string[] | null;
}

const URL_CHARACTERS_MAX = 8_192;
/** Other low ports belong to other services. */
const LOW_PORTS = [80, 443];
const LOW_PORT_MAX = 1_023;
/** Names that are valid on one machine or in one network only. */
const LOCAL_NAME = /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home\.arpa)$/;

export class AddressGuard {
  readonly #allowed: ReadonlySet<string>;
  readonly #resolve: ResolveName;
  readonly #resolvesPassed: boolean;

  /**
   * `allowed`: hosts that the operator trusts, whatever their addresses are. `resolvesPassed`: whether names that only a
   * provider will fetch are resolved too, which needs DNS.
   */
  constructor(options: {
    allowed: readonly string[];
    resolve?: ResolveName;
    resolvesPassed?: boolean;
  }) {
    this.#allowed = new Set(options.allowed.map(hostOf));
    this.#resolve = options.resolve ?? resolveByDns;
    this.#resolvesPassed = options.resolvesPassed ?? true;
  }

  /** For an address that is passed on to a provider and not fetched here. Throws a Problem that names the field. */
  async checkPassed(text: string, wanted: AddressWanted): Promise<void> {
    await this.#check(text, wanted, this.#resolvesPassed);
  }

  /** Throws a Problem that names the field. */
  async check(text: string, wanted: AddressWanted): Promise<CheckedAddress> {
    return await this.#check(text, wanted, true);
  }

  async #check(text: string, wanted: AddressWanted, resolves: boolean): Promise<CheckedAddress> {
    const url = readAddress(text, wanted.param);
    const host = plainHost(url);
    // Credentials would end up in logs.
    if (url.username !== '' || url.password !== '') {
      throw refused(wanted.param, `${wanted.param} must not have a user name or a password in it.`);
    }
    if (this.#allowed.has(host)) return { url, addresses: null };
    checkForm(url, wanted);
    const literal = host.replace(/^\[|\]$/g, '');
    const isName = isIP(literal) === 0;
    // A name without a dot is resolved in the local network.
    if (isName && (LOCAL_NAME.test(host) || !host.includes('.'))) throw notPublic(url, wanted.param);
    if (isName && !resolves) return { url, addresses: [] };
    const addresses = isName ? await this.#resolve(host).catch(() => []) : [literal];
    // The same error for unknown names, so that nobody can probe the names of our network.
    if (addresses.length === 0 || !addresses.every(isPublicAddress)) throw notPublic(url, wanted.param);
    return { url, addresses };
  }
}

/** As the URL standard writes it: lower case, IPv4 with four numbers, IPv6 in brackets. */
function hostOf(host: string): string {
  const written = isIP(host) === 6 ? `[${host}]` : host;
  return URL.canParse(`http://${written}/`) ? plainHost(new URL(`http://${written}/`)) : host;
}

/** A trailing dot only marks the name as fully qualified. */
function plainHost(url: URL): string {
  return url.hostname.replace(/\.$/, '');
}

function readAddress(text: string, param: string): URL {
  // Characters that one parser drops or repairs could be read differently by the next one.
  const odd = text.length > URL_CHARACTERS_MAX || /[\s\\]/.test(text) || hasControl(text);
  if (!odd && /^https?:\/\/[^/]/i.test(text) && URL.canParse(text)) return new URL(text);
  throw refused(param, `${param} is not a well-formed http(s) address.`);
}

function hasControl(text: string): boolean {
  for (let i = 0; i < text.length; i++)
    if (text.charCodeAt(i) < 32 || text.charCodeAt(i) === 127) return true;
  return false;
}

function checkForm(url: URL, { param, schemes }: AddressWanted): void {
  const { protocol, port } = url;
  if (!(schemes as readonly string[]).includes(protocol.slice(0, -1))) {
    throw refused(param, `${param} must be an ${schemes.join(' or ')} address.`);
  }
  if (port !== '' && Number(port) <= LOW_PORT_MAX && !LOW_PORTS.includes(Number(port))) {
    throw refused(param, `${param} must not have the port ${port}; 80, 443 and ports from 1024 are allowed.`);
  }
}

function notPublic(url: URL, param: string): Problem {
  const host = url.hostname.slice(0, 200);
  return refused(
    param,
    `${param} names the host ${host}, which cannot be found or is not on the public internet.`,
  );
}

function refused(param: string, detail: string): Problem {
  return new Problem('invalid_parameter', { detail, param });
}

const DNS_TIMEOUT_MS = 2_000;
const DNS_TRIES = 2;

/** Queries DNS servers directly: `getaddrinfo` would block a thread until the answer comes. */
async function resolveByDns(name: string): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, maxTimeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  const asked = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return asked.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
}
