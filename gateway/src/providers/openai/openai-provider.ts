/**
 * OpenAI, and any server that speaks its protocol. The only file of this folder that does I/O; batches,
 * assets and videos have one each in their own folders.
 */
import {
  type ChatRules,
  chatVendors,
  compatibleChat,
  openaiChat,
} from '../../catalog/dialects/openai/chat-vendors.ts';
import type { ProviderSettings } from '../../catalog/provider-settings.ts';
import {
  type BatchKind,
  batchKinds,
  callKinds,
  pathsOf,
  type RelayedKind,
  relayedKinds,
} from '../../contract/paid-endpoints.ts';
import { randomBase62 } from '../../kernel/ids.ts';
import type { Problem } from '../../kernel/problem.ts';
import { UpstreamClient } from '../../net/upstream.ts';
import { embeddingProblem } from '../embedding-problem.ts';
import type {
  ImagesProvider,
  Provider,
  ProviderApi,
  ProviderTools,
  RelayProvider,
  TextProvider,
} from '../provider.ts';
import { ProviderCalls } from '../provider-calls.ts';
import { OpenaiAssetProvider } from './assets/openai-asset-provider.ts';
import { type BatchPaths, OpenaiBatchProvider } from './batches/openai-batch-provider.ts';
import { readChatAnswer } from './chat/read-answer.ts';
import { ChatStreamReader } from './chat/read-stream.ts';
import { writeChatRequest } from './chat/write-request.ts';
import { openaiFields } from './field-names.ts';
import { readImagesAnswer } from './images/read-images.ts';
import { writeImagesRequest } from './images/write-images.ts';
import { mapOpenaiError } from './map-error.ts';
import { readResponsesAnswer } from './responses/read-answer.ts';
import { ResponsesStreamReader } from './responses/read-stream.ts';
import { writeResponsesRequest } from './responses/write-request.ts';
import { OpenaiVideoProvider } from './videos/openai-video-provider.ts';

export function openaiProvider(settings: ProviderSettings, tools: ProviderTools): Provider {
  const client = new UpstreamClient({ baseUrl: settings.baseUrl, ...tools });
  const problem: ReadProblem = (status, body) => mapOpenaiError(status, body, tools.mask);
  const texts = textProviders(settings, client, problem);
  const calls = callsTo(settings, tools, problem);
  return {
    name: settings.name,
    simulated: settings.simulated,
    texts,
    batches: batchesProvider(settings, texts, calls),
    ...(settings.dialect !== 'openai-responses' && { videos: new OpenaiVideoProvider(calls) }),
    ...(settings.dialect === 'openai' && { assets: new OpenaiAssetProvider(calls) }),
    ...(settings.dialect !== 'openai-responses' && { images: imagesProvider(settings, client, problem) }),
    ...(settings.dialect !== 'openai-responses' && { relays: relayProviders(settings, client, problem) }),
    async close() {
      calls.close();
      await client.close();
    },
  };
}

function batchesProvider(
  settings: ProviderSettings,
  texts: readonly TextProvider[],
  calls: ProviderCalls,
): OpenaiBatchProvider {
  // Azure expects its older endpoint without the version.
  const chat = settings.dialect === 'azure-openai' ? '/chat/completions' : '/v1/chat/completions';
  const has = (kind: BatchKind): boolean =>
    callKinds[kind].relayed
      ? settings.dialect !== 'openai-responses'
      : texts.some(({ format }) => format === kind);
  const paths: BatchPaths = Object.fromEntries(
    batchKinds.filter(has).map((kind) => [kind, kind === 'chat' ? chat : pathsOf(kind)[0]]),
  );
  return new OpenaiBatchProvider(calls, paths);
}

type ReadProblem = ProviderApi['problem'];

function callsTo(settings: ProviderSettings, tools: ProviderTools, problem: ReadProblem): ProviderCalls {
  const { baseUrl } = settings;
  const { 'content-type': _, ...headers } = openaiHeaders(settings);
  return new ProviderCalls({ baseUrl, headers, mask: tools.mask, problem }, tools);
}

/** Compatible servers have only chat; some servers have only responses. */
function textProviders(
  settings: ProviderSettings,
  client: UpstreamClient,
  problem: ReadProblem,
): TextProvider[] {
  switch (settings.dialect) {
    case 'openai-compatible':
      return [chatProvider(settings, client, problem)];
    case 'openai-responses':
      return [responsesProvider(settings, client, problem)];
    default:
      return [chatProvider(settings, client, problem), responsesProvider(settings, client, problem)];
  }
}

function chatRulesOf({ dialect, vendor }: ProviderSettings): ChatRules {
  if (vendor !== null) return chatVendors[vendor].chat;
  return dialect === 'openai-compatible' ? compatibleChat : openaiChat;
}

function chatProvider(
  settings: ProviderSettings,
  client: UpstreamClient,
  problem: ReadProblem,
): TextProvider {
  const rules = chatRulesOf(settings);
  const endpoint = client.endpoint('/chat/completions', openaiHeaders(settings));
  return {
    format: 'chat',
    media: { ...MEDIA, names: [] },
    ...(settings.dialect !== 'openai-compatible' && { takesTier }),
    relay: {
      outputCapField: rules.outputCapField === 'max_tokens' ? 'max_tokens' : null,
      asksUsage: rules.asksUsage,
    },
    send: ({ body }, handler) => endpoint.post(body, handler),
    problem,
    writeRequest: (call, target) => writeChatRequest(call, target, rules),
    fields: openaiFields,
    readAnswer: readChatAnswer,
    readStream: (_, emit) => new ChatStreamReader(emit),
  };
}

function responsesProvider(
  settings: ProviderSettings,
  client: UpstreamClient,
  problem: ReadProblem,
): TextProvider {
  const endpoint = client.endpoint('/responses', openaiHeaders(settings));
  return {
    format: 'responses',
    takesTier,
    media: { ...MEDIA, names: settings.dialect === 'openai' ? ['image', 'file'] : [] },
    relay: { outputCapField: null, asksUsage: true },
    send: ({ body }, handler) => endpoint.post(body, handler),
    problem,
    writeRequest: writeResponsesRequest,
    fields: openaiFields,
    readAnswer: readResponsesAnswer,
    readStream: (_, emit) => new ResponsesStreamReader(emit),
  };
}

/** OpenAI has new ones now and then. */
const takesTier = (): boolean => true;

/** The limit is 50 MB for a body, and base64 makes four bytes of three. */
const INLINE_BYTES_MAX = 36 * 1024 * 1024;
const MEDIA = { oneBytesMax: INLINE_BYTES_MAX, allBytesMax: INLINE_BYTES_MAX, fetches: true };

/** What an error means that only calls of this kind get. */
const ownProblem: Readonly<Partial<Record<RelayedKind, (problem: Problem) => Problem>>> = {
  embeddings: embeddingProblem,
};

function relayProviders(
  settings: ProviderSettings,
  client: UpstreamClient,
  problem: ReadProblem,
): Record<RelayedKind, RelayProvider> {
  const relayOf = (kind: RelayedKind): RelayProvider => {
    const [path = ''] = pathsOf(kind);
    // Base addresses have the version.
    const endpoint = client.endpoint(path.replace(/^\/v1/, ''), openaiHeaders(settings));
    const own = ownProblem[kind];
    return {
      send: ({ body }, handler) => endpoint.post(body, handler),
      problem: own === undefined ? problem : (status, body) => own(problem(status, body)),
    };
  };
  return Object.fromEntries(relayedKinds.map((kind) => [kind, relayOf(kind)])) as Record<
    RelayedKind,
    RelayProvider
  >;
}

/** Long enough that no file contains it by chance. */
const BOUNDARY_CHARACTERS = 40;

function imagesProvider(
  settings: ProviderSettings,
  client: UpstreamClient,
  problem: ReadProblem,
): ImagesProvider {
  const { 'content-type': _, ...headers } = openaiHeaders(settings);
  const endpoints = {
    generate: client.endpoint('/images/generations', headers),
    edit: client.endpoint('/images/edits', headers),
  };
  return {
    writeRequest: (call, upstreamModel) =>
      writeImagesRequest(call, upstreamModel, randomBase62(BOUNDARY_CHARACTERS)),
    send: ({ kind, body, contentType }, handler) =>
      endpoints[kind].post(body, handler, { 'content-type': contentType }),
    problem,
    readAnswer: readImagesAnswer,
  };
}

/** No header of the caller is passed on. */
export function openaiHeaders({ apiKey, dialect }: ProviderSettings): Record<string, string> {
  const credential: Record<string, string> =
    dialect === 'azure-openai'
      ? { 'api-key': apiKey.reveal() }
      : { authorization: `Bearer ${apiKey.reveal()}` };
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'user-agent': 'tollgate',
    ...(!apiKey.empty && credential),
  };
}
