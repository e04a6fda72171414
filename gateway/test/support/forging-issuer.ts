/** An issuer that answers whatever a test wants: forged ID tokens, wrong metadata, huge answers or none. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const [own, other] = [1, 2].map(() => generateKeyPairSync('rsa', { modulusLength: 2048 }));
const JWKS = {
  keys: [{ ...own?.publicKey.export({ format: 'jwk' }), kid: 'own', use: 'sig', alg: 'RS256' }],
};

export type Json = Record<string, unknown>;

export interface Forgery {
  /** Changes the claims of the ID token. */
  readonly claims?: (claims: Json) => Json;
  readonly header?: Json;
  /** Signs with a key that is not the issuer's. */
  readonly otherKey?: boolean;
  readonly unsigned?: boolean;
  readonly metadata?: Json;
  readonly tokens?: Json;
  /** Answers a path itself. */
  readonly answer?: (path: string, response: ServerResponse) => boolean;
}

export interface ForgingIssuer {
  readonly url: string;
  forgery: Forgery;
  /** The paths that were asked for. */
  readonly asked: string[];
  /** The nonce of the next ID token. */
  nonce: string;
  stop(): Promise<void>;
}

export async function startForgingIssuer(): Promise<ForgingIssuer> {
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    issuer.asked.push(path);
    if (issuer.forgery.answer?.(path, response)) return;
    const body = answerTo(path, issuer);
    response.writeHead(body === null ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer: ForgingIssuer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forgery: {},
    asked: [],
    nonce: '',
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return issuer;
}

function answerTo(path: string, { url, forgery, nonce }: ForgingIssuer): Json | null {
  if (path === '/.well-known/openid-configuration') {
    return {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/jwks`,
      userinfo_endpoint: `${url}/userinfo`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      ...forgery.metadata,
    };
  }
  if (path === '/jwks') return JWKS;
  if (path === '/userinfo') return { sub: 'somebody-else', email: 'root@example.com', email_verified: true };
  if (path !== '/token') return null;
  return {
    access_token: 'x',
    token_type: 'bearer',
    id_token: idToken(url, nonce, forgery),
    ...forgery.tokens,
  };
}

function idToken(issuer: string, nonce: string, forgery: Forgery): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: issuer, aud: 'client', sub: 'sub', iat: now, exp: now + 60, nonce };
  const person = { email: 'ops@example.com', email_verified: true };
  const full: Json = { ...claims, ...person };
  const header = { alg: 'RS256', kid: 'own', ...forgery.header };
  const parts = [header, forgery.claims?.(full) ?? full].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const text = parts.join('.');
  const key = (forgery.otherKey ? other : own)?.privateKey;
  const signature = forgery.unsigned || !key ? Buffer.of() : sign('sha256', Buffer.from(text), key);
  return `${text}.${signature.toString('base64url')}`;
}
