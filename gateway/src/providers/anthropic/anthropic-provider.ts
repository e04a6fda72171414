/** Anthropic, and any server that speaks its protocol. The only file of this folder that does I/O. */
import type { ProviderSettings } from '../../catalog/provider-settings.ts';
import { UpstreamClient } from '../../net/upstream.ts';
import type {
  MediaSupport,
  Provider,
  ProviderApi,
  ProviderTools,
  TextProvider,
  TextSend,
} from '../provider.ts';
import { ProviderCalls } from '../provider-calls.ts';
import { AnthropicAssetProvider, FILES_BETA } from './assets/anthropic-asset-provider.ts';
import { AnthropicBatchProvider } from './batches/anthropic-batch-provider.ts';
import { anthropicFields } from './field-names.ts';
import { mapAnthropicError } from './map-error.ts';
import { readAnthropicAnswer } from './read-answer.ts';
import { AnthropicStreamReader } from './read-stream.ts';
import { writeAnthropicRequest } from './write-request.ts';

/** The protocol version that this folder implements. */
const VERSION = '2023-06-01';

export function anthropicProvider(settings: ProviderSettings, tools: ProviderTools): Provider {
  // Anthropic's own clients expect the address without /v1, most others with it. Accept both.
  const baseUrl = settings.baseUrl.replace(/\/v1$/, '');
  const client = new UpstreamClient({ baseUrl, ...tools });
  const { 'content-type': _, ...headers } = anthropicHeaders(settings);
  const problem: ReadProblem = (status, body) => mapAnthropicError(status, body, tools.mask);
  const calls = new ProviderCalls({ baseUrl, headers, mask: tools.mask, problem }, tools);
  return {
    name: settings.name,
    simulated: settings.simulated,
    texts: [messagesProvider(settings, client, problem)],
    batches: new AnthropicBatchProvider(calls),
    assets: new AnthropicAssetProvider(calls),
    async close() {
      calls.close();
      await client.close();
    },
  };
}

type ReadProblem = ProviderApi['problem'];

function messagesProvider(
  settings: ProviderSettings,
  client: UpstreamClient,
  problem: ReadProblem,
): TextProvider {
  const headers = anthropicHeaders(settings);
  const messages = client.endpoint('/v1/messages', headers);
  const count = client.endpoint('/v1/messages/count_tokens', headers);
  return {
    format: 'messages',
    media: MEDIA,
    relay: { outputCapField: null, asksUsage: true },
    send: (request, handler) => messages.post(request.body, handler, betaHeader(request)),
    problem,
    writeRequest: writeAnthropicRequest,
    fields: anthropicFields,
    readAnswer: readAnthropicAnswer,
    readStream: (_, emit) => new AnthropicStreamReader(emit),
    countTokens: (request, handler) => count.post(request.body, handler, betaHeader(request)),
  };
}

/** The limit is 32 MB for a body and 5 MB of base64 for an image. */
const MEDIA: MediaSupport = {
  oneBytesMax: (5 * 1024 * 1024 * 3) / 4,
  allBytesMax: 23 * 1024 * 1024,
  fetches: true,
  names: ['image', 'file'],
  namesBeta: FILES_BETA,
};

/** No header of the caller is passed on, except `anthropic-beta`. */
export function anthropicHeaders({ apiKey }: ProviderSettings): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'user-agent': 'tollgate',
    'anthropic-version': VERSION,
    ...(!apiKey.empty && { 'x-api-key': apiKey.reveal() }),
  };
}

function betaHeader({ beta }: TextSend): Record<string, string> | undefined {
  return beta === null ? undefined : { 'anthropic-beta': beta };
}
