/** A real OpenID provider on loopback, whose people sign in without a form, and a browser that keeps cookies. */
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Account {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
  readonly groups?: readonly string[] | string;
}

export interface TestIssuer {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Who signs in next. */
  account: Account;
  /** Registers the gateway; before that every sign-in is rejected. */
  register(gatewayUrl: string, names: readonly string[]): void;
  stop(): Promise<void>;
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const KEY = { ...privateKey.export({ format: 'jwk' }), kid: 'test', use: 'sig', alg: 'RS256' };

/** The package writes to the console that it is not set up for production. */
export function quietly<T>(work: () => T): T {
  const { warn } = console;
  console.warn = () => undefined;
  const restore = (): void => {
    console.warn = warn;
  };
  const done = work();
  if (done instanceof Promise) void done.finally(restore).catch(() => undefined);
  else restore();
  return done;
}

function logoutSource(ctx: { body: string }): void {
  ctx.body = 'Do you want to sign out?';
}

/** `idTokenClaims`: whether all claims are in the ID token, or only at the userinfo endpoint. */
export async function startIssuer(
  options: { idTokenClaims?: boolean; host?: string } = {},
): Promise<TestIssuer> {
  const { Provider } = await quietly(() => import('oidc-provider'));
  let handle = (_: IncomingMessage, response: ServerResponse): void => void response.writeHead(503).end();
  const server = createServer((request, response) => handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://${options.host ?? '127.0.0.1'}:${(server.address() as AddressInfo).port}`;
  const [clientId, clientSecret] = ['tollgate-test', 'CANARY-client-secret-5521'];
  const issuer: TestIssuer = {
    ...{ url, clientId, clientSecret, account: { sub: 'nobody' } },
    register(gatewayUrl, names) {
      const provider = quietly(
        () =>
          new Provider(url, {
            clients: [
              {
                client_id: clientId,
                client_secret: clientSecret,
                redirect_uris: names.map((name) => `${gatewayUrl}/api/console/oidc/${name}/callback`),
                post_logout_redirect_uris: [`${gatewayUrl}/console/sign-in`],
              },
            ],
            claims: {
              openid: ['sub'],
              email: ['email', 'email_verified'],
              profile: ['name'],
              groups: ['groups'],
            },
            conformIdTokenClaims: !(options.idTokenClaims ?? true),
            features: {
              devInteractions: { enabled: false },
              rpInitiatedLogout: { enabled: true, logoutSource },
            },
            interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
            cookies: { keys: ['test'] },
            jwks: { keys: [KEY] },
            ttl: { Session: 600, Interaction: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
            findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: () => issuer.account }),
            async loadExistingGrant(ctx: GrantContext) {
              const { client, session } = ctx.oidc;
              const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
              grant.addOIDCScope('openid email profile groups');
              await grant.save();
              return grant;
            },
          }),
      );
      const answer = provider.callback();
      handle = (request, response) => {
        if (!request.url?.startsWith('/interaction/')) return void answer(request, response);
        const login = { accountId: issuer.account.sub };
        provider
          .interactionFinished(request, response, { login })
          .catch((error: unknown) => response.writeHead(500).end(String(error)));
      };
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return issuer;
}

interface GrantContext {
  readonly oidc: {
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
  };
}

/** Follows redirects and keeps cookies by origin, as far as signing in needs it. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly address: string;

  /** `address`: where it seems to come from, to a server that trusts its proxy. */
  constructor(address: string) {
    this.address = address;
  }

  async get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    const { origin } = new URL(url);
    const held = [...this.cookies].filter(([key]) => key.startsWith(`${origin} `));
    const cookie = held.map(([key, value]) => `${key.slice(origin.length + 1)}=${value}`).join('; ');
    const reply = await fetch(url, {
      redirect: 'manual',
      // Tests move the clock, and the gateway then closes idle connections.
      headers: {
        cookie,
        accept: 'text/html',
        connection: 'close',
        'x-forwarded-for': this.address,
        ...headers,
      },
    });
    for (const line of reply.headers.getSetCookie()) this.#keep(origin, line);
    return reply;
  }

  /** Goes on until a page or `until` is reached; answers the last reply, or the address that was not opened. */
  async follow(
    url: string,
    until: (url: string) => boolean,
  ): Promise<{ url: string; reply: Response | null }> {
    let at = url;
    for (let hops = 0; hops < 20; hops++) {
      if (until(at)) return { url: at, reply: null };
      const reply = await this.get(at);
      const location = reply.headers.get('location');
      if (location === null) return { url: at, reply };
      await reply.body?.cancel();
      at = new URL(location, at).href;
    }
    throw new Error(`too many redirects, the last to ${at}`);
  }

  cookie(origin: string, name: string): string | undefined {
    return this.cookies.get(`${origin} ${name}`);
  }

  forget(origin: string): void {
    for (const key of this.cookies.keys()) if (key.startsWith(`${origin} `)) this.cookies.delete(key);
  }

  #keep(origin: string, line: string): void {
    const [pair = '', ...attributes] = line.split('; ');
    const at = pair.indexOf('=');
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
    const ended = attributes.some(
      (one) => /^max-age=0$/i.test(one) || /^expires=thu, 01 jan 1970/i.test(one),
    );
    if (ended) this.cookies.delete(`${origin} ${name}`);
    else this.cookies.set(`${origin} ${name}`, value);
  }
}
