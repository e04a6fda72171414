/** OpenAI, and any server that speaks its protocol. The only file of this folder that does I/O. */
import type { ProviderSettings } from '../../catalog/model.ts';
import { UpstreamClient } from '../../net/upstream.ts';
import type { Provider, ProviderTools, TextProvider } from '../provider.ts';
import { mapOpenaiError } from './map-error.ts';
import { ChatStreamReader, readChatAnswer } from './read-chat.ts';
import { ResponsesStreamReader, readResponsesAnswer } from './read-responses.ts';
import { vendors } from './vendors.ts';
import { writeChatRequest } from './write-chat.ts';
import { writeResponsesRequest } from './write-responses.ts';

export function openaiProvider(settings: ProviderSettings, tools: ProviderTools): Provider {
  const client = new UpstreamClient({ baseUrl: settings.baseUrl, ...tools });
  return {
    name: settings.name,
    simulated: settings.simulated,
    texts: textProviders(settings, client),
    close: () => client.close(),
  };
}

/** Servers that only resemble OpenAI have chat alone; others may have only the newer of the two. */
function textProviders(settings: ProviderSettings, client: UpstreamClient): TextProvider[] {
  switch (settings.dialect) {
    case 'openai-compatible':
      return [chatProvider(settings, client)];
    case 'openai-responses':
      return [responsesProvider(settings, client)];
    default:
      return [chatProvider(settings, client), responsesProvider(settings, client)];
  }
}

function chatProvider(settings: ProviderSettings, client: UpstreamClient): TextProvider {
  const vendor =
    vendors[settings.vendor ?? (settings.dialect === 'openai-compatible' ? 'compatible' : 'openai')];
  const endpoint = client.endpoint('/chat/completions', openaiHeaders(settings));
  return {
    format: 'chat',
    relay: {
      outputCapField: vendor.outputCapField === 'max_tokens' ? 'max_tokens' : null,
      asksUsage: vendor.asksUsage,
    },
    send: ({ body }, handler) => endpoint.post(body, handler),
    problem: (status, body) => mapOpenaiError(status, body, settings.apiKey),
    writeRequest: (call, target) => writeChatRequest(call, target, vendor),
    readAnswer: readChatAnswer,
    readStream: (_, emit) => new ChatStreamReader(emit),
  };
}

function responsesProvider(settings: ProviderSettings, client: UpstreamClient): TextProvider {
  const endpoint = client.endpoint('/responses', openaiHeaders(settings));
  return {
    format: 'responses',
    relay: { outputCapField: null, asksUsage: true },
    send: ({ body }, handler) => endpoint.post(body, handler),
    problem: (status, body) => mapOpenaiError(status, body, settings.apiKey),
    writeRequest: writeResponsesRequest,
    readAnswer: readResponsesAnswer,
    readStream: (_, emit) => new ResponsesStreamReader(emit),
  };
}

/** Nothing of the caller's own headers is ever sent on. */
function openaiHeaders({ apiKey, dialect }: ProviderSettings): Record<string, string> {
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
