/**
 * Google's Gemini API. The only file of this folder that does I/O. The `base_url` is such as
 * `https://generativelanguage.googleapis.com/v1beta`.
 */
import type { ProviderSettings } from '../../catalog/model.ts';
import { UpstreamClient, type UpstreamEndpoint } from '../../net/upstream.ts';
import type { Provider, ProviderTools, TextProvider } from '../provider.ts';
import { mapGoogleError } from './map-error.ts';
import { readGoogleAnswer } from './read-answer.ts';
import { GoogleStreamReader } from './read-stream.ts';
import { writeGoogleRequest } from './write-request.ts';

/** The model is in the path. A catalogue has far fewer, and when there are more all are made anew. */
const ENDPOINTS_MAX = 1_000;

export function googleProvider(settings: ProviderSettings, tools: ProviderTools): Provider {
  const client = new UpstreamClient({ baseUrl: settings.baseUrl, ...tools });
  return {
    name: settings.name,
    simulated: settings.simulated,
    texts: [geminiProvider(settings, client)],
    close: () => client.close(),
  };
}

function geminiProvider(settings: ProviderSettings, client: UpstreamClient): TextProvider {
  const headers = googleHeaders(settings);
  const endpoints = new Map<string, UpstreamEndpoint>();
  const endpointAt = (path: string): UpstreamEndpoint => {
    const known = endpoints.get(path);
    if (known !== undefined) return known;
    if (endpoints.size >= ENDPOINTS_MAX) endpoints.clear();
    const made = client.endpoint(path, headers);
    endpoints.set(path, made);
    return made;
  };
  return {
    format: null,
    relay: { outputCapField: null, asksUsage: false },
    send: ({ upstreamModel, stream, body }, handler) =>
      endpointAt(pathOf(upstreamModel, stream)).post(body, handler),
    problem: (status, body) => mapGoogleError(status, body, settings.apiKey),
    writeRequest: writeGoogleRequest,
    readAnswer: readGoogleAnswer,
    readStream: (callId, emit) => new GoogleStreamReader(callId, emit),
  };
}

/** `tunedModels/mine` says itself where it is; a bare name is one of Google's own models. */
function pathOf(model: string, stream: boolean): string {
  const place = (model.includes('/') ? model : `models/${model}`)
    .split('/')
    .map(encodeURIComponent)
    .join('/');
  return `/${place}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;
}

/** Nothing of the caller's own headers is ever sent on. */
function googleHeaders({ apiKey }: ProviderSettings): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'user-agent': 'tollgate',
    ...(!apiKey.empty && { 'x-goog-api-key': apiKey.reveal() }),
  };
}
