/** LangChain's model for OpenAI, unmodified: chat completions and responses. */
import { dialects } from './clients/client-gateway.ts';
import { langchainUse } from './clients/langchain.ts';
import { describeClient } from './clients/promises.ts';
import { langchainOpenai } from './support/clients.ts';

const chat = langchainUse({
  name: 'chat',
  own: 'openai',
  make: (place, { thinks, ...options }) =>
    langchainOpenai(place, { ...options, ...(thinks && { modelKwargs: { reasoning_effort: 'medium' } }) }),
  shows: dialects,
});

const responses = langchainUse({
  name: 'responses',
  own: 'openai-responses',
  make: (place, { thinks, ...options }) =>
    langchainOpenai(place, {
      ...options,
      useResponsesApi: true,
      ...(thinks && { reasoning: { effort: 'medium', summary: 'auto' } }),
    }),
  // Of models whose names it does not know it does not ask it.
  shows: ['openai', 'openai-responses'],
});

describeClient('LangChain with OpenAI', [chat, responses]);
