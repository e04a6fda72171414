/**
 * Amazon Bedrock's Converse API. The only file of this folder that does I/O. A typical `base_url` is
 * `https://bedrock-runtime.us-east-1.amazonaws.com`; the region is read from it unless `region` is set.
 */
import type { ProviderSettings } from '../../catalog/provider-settings.ts';
import { UpstreamClient, type UpstreamEndpoint } from '../../net/upstream.ts';
import { type UpstreamCall, UpstreamFailure, type UpstreamHandler } from '../../net/upstream-call.ts';
import { WaitingCall } from '../../net/waiting-call.ts';
import type { MediaSupport, Provider, ProviderTools, TextProvider } from '../provider.ts';
import { EventStreamFramer } from './event-stream.ts';
import { bedrockFields } from './field-names.ts';
import { mapBedrockError } from './map-error.ts';
import { readBedrockAnswer } from './read-answer.ts';
import { BedrockStreamReader } from './read-stream.ts';
import { type AwsCredentials, encodeSegment, signRequest } from './sign-request.ts';
import { writeBedrockRequest } from './write-request.ts';

/** The model is part of the path. A catalogue has far fewer models; above this the cache is cleared. */
const ENDPOINTS_MAX = 1_000;
const SERVICE = 'bedrock';
const REGION_DEFAULT = 'us-east-1';

export function bedrockProvider(settings: ProviderSettings, tools: ProviderTools): Provider {
  const client = new UpstreamClient({ baseUrl: settings.baseUrl, ...tools });
  return {
    name: settings.name,
    simulated: settings.simulated,
    texts: [converseProvider(settings, tools, client)],
    close: () => client.close(),
  };
}

function converseProvider(
  settings: ProviderSettings,
  tools: ProviderTools,
  client: UpstreamClient,
): TextProvider {
  const { host, pathname } = new URL(settings.baseUrl);
  const region = settings.region ?? /\.([a-z0-9-]+)\.amazonaws\./.exec(host)?.[1] ?? REGION_DEFAULT;
  const credentials = credentialSource(settings, region);
  const endpoints = new Map<string, UpstreamEndpoint>();
  const endpointAt = (path: string): UpstreamEndpoint => {
    const known = endpoints.get(path);
    if (known !== undefined) return known;
    if (endpoints.size >= ENDPOINTS_MAX) endpoints.clear();
    const created = client.endpoint(path, bedrockHeaders(settings));
    endpoints.set(path, created);
    return created;
  };
  return {
    format: null,
    media: MEDIA,
    fields: bedrockFields,
    takesTier: (tier) => TIERS.has(tier),
    relay: { outputCapField: null, asksUsage: false },
    send: ({ upstreamModel, stream, body }, handler) => {
      const path = `/model/${encodeSegment(upstreamModel)}/${stream ? 'converse-stream' : 'converse'}`;
      const endpoint = endpointAt(path);
      if (credentials === null) return endpoint.post(body, handler);
      const request = {
        method: 'POST',
        path: `${pathname.replace(/\/$/, '')}${path}`,
        headers: { host },
        body,
      };
      const sign = async (): Promise<Record<string, string>> =>
        await signRequest(request, await credentials(), { region, service: SERVICE, at: tools.clock.now() });
      return postSigned(sign, { post: (headers) => endpoint.post(body, handler, headers), handler, tools });
    },
    framing: (onFrame, bytesMax) => new EventStreamFramer({ bytesMax, onFrame }),
    problem: (status, body) => mapBedrockError(status, body, tools.mask),
    writeRequest: writeBedrockRequest,
    readAnswer: readBedrockAnswer,
    readStream: (reading, emit) => new BedrockStreamReader(reading, emit),
  };
}

/** Others need a contract of the account. */
const TIERS: ReadonlySet<string> = new Set(['flex', 'priority']);

/** Images of 3.75 MB are accepted, and only in the body. */
const MEDIA: MediaSupport = { oneBytesMax: 3_750_000, allBytesMax: 18_000_000, fetches: false, names: [] };

type CredentialSource = () => Promise<AwsCredentials>;

/**
 * `ID:SECRET` and `ID:SECRET:SESSION_TOKEN` are static credentials. Any other key is a Bedrock API key, which is
 * sent as it is: null. Without a key the AWS SDK finds credentials.
 */
function credentialSource({ apiKey, awsProfile }: ProviderSettings, region: string): CredentialSource | null {
  const [accessKeyId = '', secretAccessKey, ...token] = apiKey.reveal().split(':');
  if (apiKey.empty) return credentialChain(region, awsProfile);
  if (secretAccessKey === undefined) return null;
  const sessionToken = token.join(':');
  const credentials = { accessKeyId, secretAccessKey, ...(sessionToken !== '' && { sessionToken }) };
  return () => Promise.resolve(credentials);
}

/**
 * Environment, profile, assumed role, web identity, container and instance, in the order of the AWS SDK, which
 * also renews what expires. The SDK is loaded with the first call, so that the gateway starts without it.
 */
function credentialChain(region: string, profile: string | undefined): CredentialSource {
  let chain: Promise<CredentialSource> | null = null;
  return async () => {
    chain ??= import('@aws-sdk/credential-provider-node').then(({ defaultProvider }) =>
      defaultProvider({ clientConfig: { region }, ...(profile !== undefined && { profile }) }),
    );
    return await (await chain)();
  };
}

interface SignedPost {
  readonly post: (headers: Record<string, string>) => UpstreamCall;
  readonly handler: UpstreamHandler;
  readonly tools: Pick<ProviderTools, 'clock' | 'connectTimeoutMs'>;
}

/**
 * Sends the request when it is signed. Without credentials within the connect timeout nothing is sent, and the
 * call fails like a provider that cannot be reached, so that the next route is tried.
 */
function postSigned(
  sign: () => Promise<Record<string, string>>,
  { post, handler, tools }: SignedPost,
): UpstreamCall {
  let send: () => UpstreamCall | null = () => null;
  const call = new WaitingCall(handler, () => send());
  const settle = (next: () => UpstreamCall | null): void => {
    cancelTimer();
    send = next;
    call.send();
  };
  const fail = (cause: unknown): void =>
    settle(() => {
      handler.fail(new UpstreamFailure('connect', cause));
      return null;
    });
  const cancelTimer = tools.clock.after(tools.connectTimeoutMs, () =>
    fail(new Error('no AWS credentials within the connect timeout')),
  );
  sign()
    .then((headers) => settle(() => post(headers)))
    .catch(fail);
  return call;
}

/** No header of the caller is ever passed on. */
function bedrockHeaders({ apiKey }: ProviderSettings): Record<string, string> {
  const isBearer = !apiKey.empty && !apiKey.reveal().includes(':');
  return {
    'content-type': 'application/json',
    accept: 'application/json, application/vnd.amazon.eventstream',
    'user-agent': 'tollgate',
    ...(isBearer && { authorization: `Bearer ${apiKey.reveal()}` }),
  };
}
