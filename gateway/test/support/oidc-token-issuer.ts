/** A real OpenID provider on loopback whose programs get JWT access tokens, and whose signing keys can be replaced. */
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { quietly } from './issuer.ts';

type Algorithm = 'RS256' | 'ES256';

export interface OidcTokenIssuer {
  readonly url: string;
  /** The token of a program for an audience, as the token endpoint answers it. */
  token(client: string, audience: string): Promise<string>;
  /** Signs with a new key from now on, and publishes it; the former ones too if they are kept. */
  rotate(options?: { alg?: Algorithm; keep?: boolean }): void;
  /** How often its keys were asked for. */
  keysAsked(): number;
  stop(): Promise<void>;
}

const SECRET = 'CANARY-client-secret-7193';
export const TOKEN_LIFE_SECONDS = 600;
const SCOPE = 'chat';

/** `clients`: the programs, which are also the subjects of their tokens. */
export async function startOidcTokenIssuer(clients: readonly string[]): Promise<OidcTokenIssuer> {
  const { Provider } = await quietly(() => import('oidc-provider'));
  let handle = (_: IncomingMessage, response: ServerResponse): void => void response.writeHead(503).end();
  let asked = 0;
  const server = createServer((request, response) => {
    if (request.url === '/jwks') asked++;
    handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let keys: object[] = [];
  let made = 0;

  const rotate: OidcTokenIssuer['rotate'] = ({ alg = 'RS256', keep = false } = {}) => {
    keys = [newKey(`oidc-${++made}`, alg), ...(keep ? keys : [])];
    const info = { scope: SCOPE, accessTokenFormat: 'jwt', jwt: { sign: { alg, kid: `oidc-${made}` } } };
    // The package reads its keys once, so another key is another provider behind the same address.
    const provider = quietly(
      () =>
        new Provider(url, {
          clients: clients.map((id) => ({
            ...{ client_id: id, client_secret: SECRET, token_endpoint_auth_method: 'client_secret_post' },
            ...{ grant_types: ['client_credentials'], redirect_uris: [], response_types: [], scope: SCOPE },
            // The provider needs a key for the ID tokens that it never issues.
            id_token_signed_response_alg: alg,
          })),
          scopes: [SCOPE],
          features: {
            devInteractions: { enabled: false },
            clientCredentials: { enabled: true },
            resourceIndicators: {
              enabled: true,
              getResourceServerInfo: (_: unknown, audience: string) => ({ ...info, audience }),
            },
          },
          cookies: { keys: ['test'] },
          jwks: { keys },
          ttl: { ClientCredentials: TOKEN_LIFE_SECONDS },
        }),
    );
    const answer = provider.callback();
    handle = (request, response) => void answer(request, response);
  };
  rotate();

  return {
    url,
    rotate,
    keysAsked: () => asked,
    async token(client, audience) {
      const form = {
        grant_type: 'client_credentials',
        client_id: client,
        client_secret: SECRET,
        scope: SCOPE,
      };
      const body = new URLSearchParams({ ...form, resource: audience });
      const reply = await fetch(`${url}/token`, { method: 'POST', body });
      const answer = (await reply.json()) as { access_token?: string };
      if (answer.access_token === undefined) throw new Error(JSON.stringify(answer));
      return answer.access_token;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function newKey(kid: string, alg: Algorithm): object {
  const { privateKey } =
    alg === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), kid, use: 'sig', alg };
}
