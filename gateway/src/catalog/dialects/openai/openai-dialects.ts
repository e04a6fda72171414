/** OpenAI's protocols: its own, at Azure, and at servers that have only a part of them. */
import type { DialectFacts } from '../dialect-facts.ts';
import { chatVendors, hostedServices } from './chat-vendors.ts';
import { chatFinishReasons, incompleteReasons } from './finish-reasons.ts';
import { gptTraits } from './gpt-traits.ts';

const both = {
  batches: true,
  traits: gptTraits,
  finishReasons: { ...chatFinishReasons, ...incompleteReasons },
} as const satisfies DialectFacts;

export const openaiDialect = {
  ...both,
  system: 'openai',
  spokenNames: ['OpenAI'],
  priceFamily: 'openai',
  host: 'api.openai.com',
} as const satisfies DialectFacts;

/** Servers that have only the responses API. */
export const openaiResponsesDialect = {
  ...both,
  system: 'openai',
  priceFamily: 'openai',
} as const satisfies DialectFacts;

export const azureOpenaiDialect = {
  ...both,
  system: 'azure.ai.openai',
  spokenNames: ['Azure'],
  priceFamily: 'azure',
} as const satisfies DialectFacts;

/** Servers that have only chat completions. */
export const openaiCompatibleDialect = {
  batches: true,
  keyless: true,
  finishReasons: chatFinishReasons,
  vendors: chatVendors,
  services: hostedServices,
} as const satisfies DialectFacts;
