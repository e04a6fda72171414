/** Any server that speaks OpenAI's protocol. The only file of this folder that does I/O. */
import type { ProviderSettings } from '../../catalog/model.ts';
import { UpstreamClient } from '../../net/upstream.ts';
import type { Provider, ProviderTools } from '../provider.ts';
import { mapOpenaiError } from './map-error.ts';

export function openaiProvider(settings: ProviderSettings, tools: ProviderTools): Provider {
  const client = new UpstreamClient({ baseUrl: settings.baseUrl, ...tools });
  // Nothing of the caller's own headers is ever sent on.
  const chat = client.endpoint('/chat/completions', {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'user-agent': 'tollgate',
    ...(!settings.apiKey.empty && { authorization: `Bearer ${settings.apiKey.reveal()}` }),
  });
  return {
    name: settings.name,
    simulated: settings.simulated,
    chat: {
      send: (body, handler) => chat.post(body, handler),
      problem: (status, body) => mapOpenaiError(status, body, settings.apiKey),
    },
    close: () => client.close(),
  };
}
