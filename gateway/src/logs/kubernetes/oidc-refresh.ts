/** Exchanges an OpenID Connect refresh token for a new id token. */
import type { Clock } from '../../kernel/time.ts';
import { Body, BodyCollector } from '../../net/collect-body.ts';
import { UpstreamClient } from '../../net/upstream.ts';
import type { BodySink, UpstreamCall, UpstreamHandler } from '../../net/upstream-call.ts';
import { CredentialError } from './credentials.ts';

export interface OidcConfig {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | null;
  /** A PEM text; null: the certificates of the machine. */
  readonly ca: string | null;
}

export interface OidcTokens {
  readonly idToken: string;
  /** Null: the old one stays valid. */
  readonly refreshToken: string | null;
}

const CONNECT_MS = 10_000;
const SILENCE_MS = 30_000;
const REPLY_BYTES_MAX = 256 * 1024;

export async function refreshIdToken(
  config: OidcConfig,
  refreshToken: string,
  clock: Clock,
): Promise<OidcTokens> {
  const { issuer, clientId, clientSecret } = config;
  const discovery = await exchange(
    `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
    null,
    config,
    clock,
  );
  const endpoint = discovery.token_endpoint;
  if (typeof endpoint !== 'string') throw new CredentialError(`${issuer} does not name a token_endpoint.`);
  const methods = discovery.token_endpoint_auth_methods_supported;
  const basic = !Array.isArray(methods) || methods.includes('client_secret_basic');
  const form = new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: clientId,
  });
  if (clientSecret !== null && !basic) form.set('client_secret', clientSecret);
  const authorization =
    clientSecret !== null && basic
      ? {
          authorization: `Basic ${btoa(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`)}`,
        }
      : {};
  const tokens = await exchange(endpoint, { form, headers: authorization }, config, clock);
  if (typeof tokens.id_token !== 'string') throw new CredentialError(`${issuer} returned no id_token.`);
  return {
    idToken: tokens.id_token,
    refreshToken: typeof tokens.refresh_token === 'string' ? tokens.refresh_token : null,
  };
}

/** A GET, or a POST of a form. Errors name the address and the status, never a body. */
async function exchange(
  address: string,
  post: { form: URLSearchParams; headers: Readonly<Record<string, string>> } | null,
  { ca }: OidcConfig,
  clock: Clock,
): Promise<Readonly<Record<string, unknown>>> {
  const url = new URL(address);
  const client = new UpstreamClient({
    baseUrl: url.origin,
    clock,
    connectTimeoutMs: CONNECT_MS,
    silenceTimeoutMs: SILENCE_MS,
    ...(ca !== null && { tls: { ca } }),
  });
  try {
    const { status, body } = await new Promise<{ status: number; body: Buffer }>((resolve, reject) => {
      let call: UpstreamCall | null = null;
      const handler: UpstreamHandler = {
        head: (code): BodySink =>
          new BodyCollector({
            bytesMax: REPLY_BYTES_MAX,
            onTooLong: () => call?.abort(),
            done: (whole) =>
              whole instanceof Body ? resolve({ status: code, body: whole.whole() }) : reject(whole),
          }),
        fail: reject,
      };
      const target = `${url.pathname}${url.search}`;
      const json = { accept: 'application/json' };
      const type = { 'content-type': 'application/x-www-form-urlencoded' };
      call =
        post === null
          ? client.get(target, json, handler)
          : client
              .endpoint(target, { ...json, ...type, ...post.headers })
              .post(Buffer.from(`${post.form}`), handler);
    });
    if (status !== 200) throw new CredentialError(`${url.origin}${url.pathname} answered ${status}.`);
    return JSON.parse(body.toString('utf8')) as Readonly<Record<string, unknown>>;
  } finally {
    await client.close();
  }
}
