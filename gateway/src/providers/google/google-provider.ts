/**
 * Google's Gemini API. The only file of this folder that does I/O; assets and videos have one each in their
 * own folders. A typical `base_url` is `https://generativelanguage.googleapis.com/v1beta`.
 */
import type { ProviderSettings } from '../../catalog/provider-settings.ts';
import { UpstreamClient, type UpstreamEndpoint } from '../../net/upstream.ts';
import { embeddingProblem } from '../embedding-problem.ts';
import type {
  EmbeddingsProvider,
  ImagesProvider,
  MediaSupport,
  Provider,
  ProviderApi,
  ProviderTools,
  TextProvider,
} from '../provider.ts';
import { ProviderCalls } from '../provider-calls.ts';
import { ProviderFiles } from '../provider-files.ts';
import { GoogleAssetProvider } from './assets/google-asset-provider.ts';
import { readGoogleEmbeddings } from './embeddings/read-embeddings.ts';
import { writeGoogleEmbeddings } from './embeddings/write-embeddings.ts';
import { googleFields } from './field-names.ts';
import { readGoogleImages } from './images/read-images.ts';
import { writeGoogleImages } from './images/write-images.ts';
import { mapGoogleError } from './map-error.ts';
import { modelResource } from './model-resource.ts';
import { readGoogleAnswer } from './read-answer.ts';
import { GoogleStreamReader } from './read-stream.ts';
import { GoogleVideoProvider } from './videos/google-video-provider.ts';
import { writeGoogleRequest } from './write-request.ts';

/** The model is part of the path. A catalogue has far fewer models; above this the cache is cleared. */
const ENDPOINTS_MAX = 1_000;

export function googleProvider(settings: ProviderSettings, tools: ProviderTools): Provider {
  const client = new UpstreamClient({ baseUrl: settings.baseUrl, ...tools });
  const endpointAt = endpointsOf(settings, client);
  const { 'content-type': _, ...headers } = googleHeaders(settings);
  const problem: ReadProblem = (status, body) => mapGoogleError(status, body, tools.mask);
  const at = { baseUrl: settings.baseUrl, headers, mask: tools.mask, problem };
  const calls = new ProviderCalls(at, tools);
  const files = new ProviderFiles(at, tools);
  const assets = new GoogleAssetProvider(at, tools);
  return {
    name: settings.name,
    simulated: settings.simulated,
    texts: [
      geminiProvider(endpointAt, (status, body) => mapGoogleError(status, body, tools.mask, { named: true })),
    ],
    embeddings: embeddingsProvider(endpointAt, problem),
    images: imagesProvider(endpointAt, problem),
    videos: new GoogleVideoProvider(calls, files),
    assets,
    async close() {
      calls.close();
      files.close();
      assets.close();
      await client.close();
    },
  };
}

type ReadProblem = ProviderApi['problem'];
type EndpointAt = (path: string) => UpstreamEndpoint;

function endpointsOf(settings: ProviderSettings, client: UpstreamClient): EndpointAt {
  const headers = googleHeaders(settings);
  const endpoints = new Map<string, UpstreamEndpoint>();
  return (path) => {
    const known = endpoints.get(path);
    if (known !== undefined) return known;
    if (endpoints.size >= ENDPOINTS_MAX) endpoints.clear();
    const made = client.endpoint(path, headers);
    endpoints.set(path, made);
    return made;
  };
}

function geminiProvider(endpointAt: EndpointAt, problem: ReadProblem): TextProvider {
  return {
    format: null,
    media: MEDIA,
    relay: { outputCapField: null, asksUsage: false },
    send: ({ upstreamModel, stream, body }, handler) =>
      endpointAt(pathOf(upstreamModel, stream ? 'streamGenerateContent?alt=sse' : 'generateContent')).post(
        body,
        handler,
      ),
    problem,
    tierHeader: TIER_HEADER,
    writeRequest: writeGoogleRequest,
    fields: googleFields,
    readAnswer: readGoogleAnswer,
    readStream: ({ callId }, emit) => new GoogleStreamReader(callId, emit),
  };
}

/** Not every answer has the tier in its usage. */
const TIER_HEADER = 'x-gemini-service-tier';

/** The limit is 20 MB for a body. */
const INLINE_BYTES_MAX = 14 * 1024 * 1024;
const MEDIA: MediaSupport = {
  oneBytesMax: INLINE_BYTES_MAX,
  allBytesMax: INLINE_BYTES_MAX,
  fetches: true,
  names: ['image', 'file'],
};

function embeddingsProvider(endpointAt: EndpointAt, problem: ReadProblem): EmbeddingsProvider {
  return {
    send: ({ upstreamModel, body }, handler) =>
      endpointAt(pathOf(upstreamModel, 'batchEmbedContents')).post(body, handler),
    problem: (status, body) => embeddingProblem(problem(status, body)),
    translation: { writeRequest: writeGoogleEmbeddings, readAnswer: readGoogleEmbeddings },
  };
}

/** Images are generated and edited by the same method as text. */
function imagesProvider(endpointAt: EndpointAt, problem: ReadProblem): ImagesProvider {
  return {
    writeRequest: writeGoogleImages,
    send: ({ upstreamModel, body }, handler) =>
      endpointAt(pathOf(upstreamModel, 'generateContent')).post(body, handler),
    problem,
    tierHeader: TIER_HEADER,
    readAnswer: readGoogleImages,
  };
}

function pathOf(model: string, method: string): string {
  return `/${modelResource(model).split('/').map(encodeURIComponent).join('/')}:${method}`;
}

/** No header of the caller is passed on. */
export function googleHeaders({ apiKey }: ProviderSettings): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'user-agent': 'tollgate',
    ...(!apiKey.empty && { 'x-goog-api-key': apiKey.reveal() }),
  };
}
