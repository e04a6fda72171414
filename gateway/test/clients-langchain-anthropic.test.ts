/** LangChain's model for Anthropic, unmodified. */
import { dialects } from './clients/client-gateway.ts';
import { langchainUse } from './clients/langchain.ts';
import { describeClient } from './clients/promises.ts';
import { langchainAnthropic } from './support/clients.ts';

const messages = langchainUse({
  name: 'messages',
  own: 'anthropic',
  make: (place, { thinks, ...options }) =>
    langchainAnthropic(place, {
      ...options,
      ...(thinks && { maxTokens: 4_096, thinking: { type: 'enabled', budget_tokens: 2_048 } }),
    }),
  shows: dialects,
  // It reads the input of a stream at its start alone, where a translated one can only estimate it, and
  // adds to the output at its end what stood at its start, where Anthropic writes a little already.
  knowsOfStream: ({ input, output }, on) => (on === 'anthropic' ? { input } : { output }),
});

describeClient('LangChain with Anthropic', [messages]);
