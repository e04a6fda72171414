/**
 * Amazon Bedrock's Converse API. The only file of this folder that does I/O. The `base_url` is such as
 * `https://bedrock-runtime.us-east-1.amazonaws.com`; the region is read from it unless it is given.
 */
import type { ProviderSettings } from '../../catalog/model.ts';
import { UpstreamClient, type UpstreamEndpoint } from '../../net/upstream.ts';
import type { MediaWays, Provider, ProviderTools, TextProvider, TextSend } from '../provider.ts';
import { EventStreamFramer } from './event-stream.ts';
import { mapBedrockError } from './map-error.ts';
import { readBedrockAnswer } from './read-answer.ts';
import { BedrockStreamReader } from './read-stream.ts';
import { type AwsKey, encodeSegment, signRequest } from './sign.ts';
import { writeBedrockRequest } from './write-request.ts';

/** The model is in the path. A catalogue has far fewer, and when there are more all are made anew. */
const ENDPOINTS_MAX = 1_000;
const SERVICE = 'bedrock';
const REGION_ELSE = 'us-east-1';

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
  { clock, mask }: ProviderTools,
  client: UpstreamClient,
): TextProvider {
  const { host, pathname } = new URL(settings.baseUrl);
  const key = awsKeyOf(settings);
  const region = settings.region ?? /\.([a-z0-9-]+)\.amazonaws\./.exec(host)?.[1] ?? REGION_ELSE;
  const endpoints = new Map<string, UpstreamEndpoint>();
  const endpointAt = (path: string): UpstreamEndpoint => {
    const known = endpoints.get(path);
    if (known !== undefined) return known;
    if (endpoints.size >= ENDPOINTS_MAX) endpoints.clear();
    const made = client.endpoint(path, bedrockHeaders(settings, key));
    endpoints.set(path, made);
    return made;
  };
  const signatureOf = (path: string, body: TextSend['body']): Record<string, string> => {
    if (key === null) return {};
    const sent = `${pathname.replace(/\/$/, '')}${path}`;
    const at = clock.now();
    return signRequest({ method: 'POST', path: sent, headers: { host }, body }, key, {
      region,
      service: SERVICE,
      at,
    });
  };
  return {
    format: null,
    media: MEDIA,
    relay: { outputCapField: null, asksUsage: false },
    send: ({ upstreamModel, stream, body }, handler) => {
      const path = `/model/${encodeSegment(upstreamModel)}/${stream ? 'converse-stream' : 'converse'}`;
      return endpointAt(path).post(body, handler, signatureOf(path, body));
    },
    framing: (onFrame, bytesMax) => new EventStreamFramer({ bytesMax, onFrame }),
    problem: (status, body) => mapBedrockError(status, body, mask),
    writeRequest: writeBedrockRequest,
    readAnswer: readBedrockAnswer,
    readStream: (_, emit) => new BedrockStreamReader(emit),
  };
}

/** Images of 3.75 MB are taken, and whatever it is in the body. */
const MEDIA: MediaWays = { oneBytesMax: 3_750_000, allBytesMax: 18_000_000, fetches: false, names: [] };

/** `ID:SECRET` or `ID:SECRET:SESSION_TOKEN`; a key without a colon is one of Bedrock's own and signs nothing. */
function awsKeyOf({ apiKey }: ProviderSettings): AwsKey | null {
  const [id = '', secret, ...token] = apiKey.reveal().split(':');
  if (secret === undefined) return null;
  return { id, secret, sessionToken: token.length === 0 ? null : token.join(':') };
}

/** Nothing of the caller's own headers is ever sent on. */
function bedrockHeaders({ apiKey }: ProviderSettings, key: AwsKey | null): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'application/json, application/vnd.amazon.eventstream',
    'user-agent': 'tollgate',
    ...(key === null && !apiKey.empty && { authorization: `Bearer ${apiKey.reveal()}` }),
  };
}
