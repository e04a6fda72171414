/** The AI SDK, unmodified, through its provider for Anthropic. */
import { aiSdkUse } from './clients/ai-sdk.ts';
import { dialects } from './clients/client-gateway.ts';
import { describeClient } from './clients/promises.ts';
import { aiSdkAnthropic } from './support/clients.ts';

const messages = aiSdkUse({
  name: 'messages',
  own: 'anthropic',
  model: (place, name) => aiSdkAnthropic(place)(name),
  shows: dialects,
  thinking: { anthropic: { thinking: { type: 'enabled', budgetTokens: 2_048 } } },
});

describeClient('the AI SDK with Anthropic', [messages]);
