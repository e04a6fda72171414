/** LangChain's models for OpenAI (chat completions and responses) and for Anthropic, unmodified. */

import { langchainAnthropic, langchainOpenai } from '../support/clients.ts';
import { oneEngine } from '../support/engines.ts';
import { dialects } from './client-gateway.ts';
import { type LangchainModel, langchainUse, promiseOverflow } from './langchain.ts';
import { describeClient } from './promises.ts';

const chat: LangchainModel = {
  name: 'chat',
  own: 'openai',
  make: (place, { thinks, ...options }) =>
    langchainOpenai(place, { ...options, ...(thinks && { modelKwargs: { reasoning_effort: 'medium' } }) }),
  shows: dialects,
};

const responses: LangchainModel = {
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
};

const messages: LangchainModel = {
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
};

const all = [chat, responses, messages];

describeClient('LangChain', oneEngine('postgres', 'client libraries'), all.map(langchainUse), (gateway) => {
  for (const model of all) promiseOverflow(model, gateway);
});
