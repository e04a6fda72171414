/** The AI SDK, unmodified, through its provider for OpenAI: chat completions and responses. */
import { aiSdkUse } from './clients/ai-sdk.ts';
import { dialects } from './clients/client-gateway.ts';
import { describeClient } from './clients/promises.ts';
import { aiSdkOpenai } from './support/clients.ts';

const chat = aiSdkUse({
  name: 'chat',
  own: 'openai',
  model: (place, name) => aiSdkOpenai(place).chat(name),
  // It does not read thoughts on chat completions.
  shows: [],
});

const responses = aiSdkUse({
  name: 'responses',
  own: 'openai-responses',
  model: (place, name) => aiSdkOpenai(place)(name),
  shows: dialects,
  // Of models whose names it does not know it would not ask it.
  thinking: { openai: { forceReasoning: true, reasoningEffort: 'medium', reasoningSummary: 'auto' } },
});

describeClient('the AI SDK with OpenAI', [chat, responses]);
