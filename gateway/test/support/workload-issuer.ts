/**
 * An issuer of tokens for workloads, as the API server of a cluster is: discovery, signing keys that it rotates, and tokens
 * of any content. It can be down, and counts who asks.
 */
import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export type Json = Record<string, unknown>;

interface SigningKey {
  readonly kid: string;
  readonly alg: 'RS256' | 'ES256';
  readonly privateKey: KeyObject;
}

export interface TokenOptions {
  readonly claims?: Json;
  readonly header?: Json;
  /** The key that signs; default: the newest. */
  readonly key?: SigningKey;
}

const LIFE_SECONDS = 600;

export class TestIssuer {
  readonly url: string;
  /** What was asked for: the path and the `Authorization`. */
  readonly asked: Array<{ path: string; authorization: string | undefined }> = [];
  /** Answers every request itself; null: as an issuer does. */
  answer: ((path: string, response: ServerResponse) => void) | null = null;
  /** The life of the signing keys. */
  cacheControl = 'max-age=600';
  metadata: Json = {};
  #keys: SigningKey[] = [];
  #made = 0;
  readonly #stop: () => Promise<void>;

  private constructor(url: string, stop: () => Promise<void>) {
    this.url = url;
    this.#stop = stop;
    this.rotate();
  }

  /** `tls`: over https, as `localhost`. */
  static async start({
    tls = null,
  }: {
    tls?: { cert: string; key: string } | null;
  } = {}): Promise<TestIssuer> {
    const serve = (request: IncomingMessage, response: ServerResponse): void =>
      issuer.#serve(request, response);
    const server = tls === null ? createServer(serve) : createSecureServer(tls, serve);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const url = tls === null ? `http://127.0.0.1:${port}` : `https://localhost:${port}`;
    const issuer = new TestIssuer(url, async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return issuer;
  }

  stop(): Promise<void> {
    return this.#stop();
  }

  /** Replaces the keys, unless the old ones are published on. */
  rotate({ alg = 'RS256', keep = false }: { alg?: SigningKey['alg']; keep?: boolean } = {}): SigningKey {
    const key = newKey(`key-${++this.#made}`, alg);
    this.#keys = keep ? [...this.#keys, key] : [key];
    return key;
  }

  /** The public part of the newest key, as PEM: what an attacker can read. */
  get publicPem(): string {
    const key = createPublicKey(this.#newest.privateKey);
    return key.export({ type: 'spki', format: 'pem' }) as string;
  }

  get keysAsked(): number {
    return this.asked.filter(({ path }) => path === '/jwks').length;
  }

  get #newest(): SigningKey {
    return this.#keys.at(-1) as SigningKey;
  }

  token(subject: string, { claims = {}, header = {}, key = this.#newest }: TokenOptions = {}): string {
    const now = Math.floor(Date.now() / 1_000);
    const times = { iat: now, nbf: now, exp: now + LIFE_SECONDS };
    const payload = { iss: this.url, aud: ['tollgate'], sub: subject, ...times, ...claims };
    const text = [{ alg: key.alg, kid: key.kid, ...header }, payload].map(encoded).join('.');
    const dsa = key.alg === 'ES256' ? ({ dsaEncoding: 'ieee-p1363' } as const) : {};
    const signature = sign('sha256', Buffer.from(text), { key: key.privateKey, ...dsa });
    return `${text}.${signature.toString('base64url')}`;
  }

  /** A token whose signature is an HMAC with a text that everybody can read. */
  hmacToken(subject: string, secret: string): string {
    const [, payload] = this.token(subject).split('.');
    const text = `${encoded({ alg: 'HS256', kid: this.#newest.kid })}.${payload}`;
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '';
    this.asked.push({ path, authorization: request.headers.authorization });
    if (this.answer !== null) {
      this.answer(path, response);
      return;
    }
    const body =
      path === '/.well-known/openid-configuration'
        ? { issuer: this.url, jwks_uri: `${this.url}/jwks`, ...this.metadata }
        : path === '/jwks'
          ? { keys: this.#keys.map(publicKey) }
          : null;
    response.writeHead(body === null ? 404 : 200, {
      'content-type': 'application/json',
      'cache-control': this.cacheControl,
    });
    response.end(JSON.stringify(body));
  }
}

export function newKey(kid: string, alg: SigningKey['alg'] = 'RS256'): SigningKey {
  const { privateKey } =
    alg === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { kid, alg, privateKey };
}

function publicKey({ kid, alg, privateKey }: SigningKey): Json {
  return { ...createPublicKey(privateKey).export({ format: 'jwk' }), kid, alg, use: 'sig' };
}

function encoded(part: Json): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
