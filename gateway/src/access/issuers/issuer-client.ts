/**
 * Talks to one issuer: discovery, the authorization code flow with PKCE, the claims of its person, signing out. Loads
 * openid-client on first use, because many installations have no issuer.
 */
import type { ClientAuth, Configuration, CustomFetch, ServerMetadata } from 'openid-client';
import { HOUR_MS } from '../../kernel/durations.ts';
import { isLoopback } from '../../net/proxies.ts';
import { askIssuer, type IssuerNetwork } from './ask-issuer.ts';
import { issuerProblem, unreachable } from './issuer-problem.ts';
import type { IssuerSettings } from './issuer-settings.ts';
import { type Claims, claimsNeeded, mergeClaims } from './read-claims.ts';
import type { DerivedSecrets } from './sign-in-state.ts';

/** After this long, discovery runs again: an issuer may change its endpoints. */
const DISCOVERY_MS = HOUR_MS;

type OpenIdClient = typeof import('openid-client');

interface Discovered {
  readonly sinceMs: number;
  readonly configuration: Promise<Configuration>;
}

export class IssuerClient {
  readonly settings: IssuerSettings;
  readonly #network: IssuerNetwork;
  #discovered: Discovered | null = null;

  constructor(settings: IssuerSettings, network: IssuerNetwork) {
    this.settings = settings;
    this.#network = network;
  }

  /** Where the browser goes to sign in. */
  async authorizationUrl(redirectUri: string, { state, nonce, verifier }: DerivedSecrets): Promise<string> {
    const client = await load();
    const configuration = await this.#configuration(client);
    const code_challenge = await client.calculatePKCECodeChallenge(verifier);
    const pkce = { code_challenge, code_challenge_method: 'S256' };
    const scope = this.settings.scopes.join(' ');
    try {
      const parameters = { redirect_uri: redirectUri, scope, state, nonce, ...pkce };
      return client.buildAuthorizationUrl(configuration, parameters).href;
    } catch (error) {
      // The metadata has no usable endpoint.
      this.#discovered = null;
      throw unreachable(error, this.settings);
    }
  }

  /**
   * Exchanges the code in the address that the browser came back to. Checks state, nonce, PKCE, the issuer, the
   * audience, the times and the signature of the ID token; asks for claims that it lacks. Null if the issuer does not
   * accept the code.
   */
  async redeem(callback: URL, { state, nonce, verifier }: DerivedSecrets): Promise<Claims | null> {
    const client = await load();
    const configuration = await this.#configuration(client);
    try {
      const tokens = await client.authorizationCodeGrant(configuration, callback, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      const claims = tokens.claims() as Claims;
      const complete = claimsNeeded(this.settings).every((name) => claims[name] !== undefined);
      if (complete || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
      const more = await client.fetchUserInfo(configuration, tokens.access_token, claims.sub);
      return mergeClaims(claims, more, this.settings);
    } catch (error) {
      if (error instanceof client.ResponseBodyError && error.error === 'invalid_grant') return null;
      throw issuerProblem(error, client, this.settings);
    }
  }

  /** Where the browser goes to sign out at the issuer too; null if it offers no such address. */
  async signOutUrl(returnTo: string): Promise<string | null> {
    const client = await load();
    const configuration = await this.#configuration(client);
    if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
    return client.buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnTo }).href;
  }

  /** Concurrent sign-ins share one discovery; a failed one is not kept. */
  async #configuration(client: OpenIdClient): Promise<Configuration> {
    const nowMs = this.#network.clock.elapsedMs();
    const known = this.#discovered;
    if (known !== null && nowMs - known.sinceMs < DISCOVERY_MS) return await known.configuration;
    const configuration = this.#discover(client);
    const discovered = { sinceMs: nowMs, configuration };
    this.#discovered = discovered;
    try {
      return await configuration;
    } catch (error) {
      if (this.#discovered === discovered) this.#discovered = null;
      throw error;
    }
  }

  async #discover(client: OpenIdClient): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.settings;
    const url = new URL(issuer);
    const insecure = url.protocol === 'http:' && isLoopback(url.hostname);
    const secret = clientSecret.reveal();
    const auth = { basic: client.ClientSecretBasic(secret), post: client.ClientSecretPost(secret) };
    const authenticate: ClientAuth = (server, ...rest) => auth[this.#authMethod(server)](server, ...rest);
    try {
      return await client.discovery(url, clientId, undefined, authenticate, {
        [client.customFetch]: issuerFetch(this.#network),
        // Signatures are checked although the token came over TLS.
        execute: [client.enableNonRepudiationChecks, ...(insecure ? [client.allowInsecureRequests] : [])],
      });
    } catch (error) {
      throw unreachable(error, this.settings);
    }
  }

  #authMethod({ token_endpoint_auth_methods_supported: methods }: ServerMetadata): 'basic' | 'post' {
    const basic = methods === undefined || methods.includes('client_secret_basic');
    return this.settings.clientAuth ?? (basic ? 'basic' : 'post');
  }
}

async function load(): Promise<OpenIdClient> {
  return await import('openid-client');
}

/** Throws UpstreamFailure if there is no complete answer. */
function issuerFetch(network: IssuerNetwork): CustomFetch {
  return async (address, { method, headers, body, signal = new AbortController().signal }) => {
    const bytes = Buffer.from(body === undefined || body === null ? '' : String(body));
    const answer = await askIssuer(network, {
      url: new URL(address),
      method: method === 'POST' ? 'POST' : 'GET',
      headers: { ...headers },
      body: { length: bytes.length, pieces: () => [bytes] },
      signal,
    });
    const text = NO_BODY.includes(answer.status) ? null : answer.body.toString('utf8');
    return new Response(text, { status: answer.status, headers: answer.headers });
  };
}

/** A Response with one of these statuses must not have a body. */
const NO_BODY: readonly number[] = [204, 205, 304];
