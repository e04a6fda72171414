/** Google's Gemini API. */
import type { DialectFacts } from '../dialect-facts.ts';
import { geminiTraits, protocolOfGoogle } from './gemini-traits.ts';

export const googleDialect = {
  system: 'gcp.gemini',
  spokenNames: ['Google', 'Gemini', 'Vertex'],
  priceFamily: 'google',
  sourceNames: ['gemini'],
  searchKinds: { perPrompt: 'google_search_prompt', perQuery: 'google_search_query' },
  traits: geminiTraits,
  otherTraits: protocolOfGoogle,
  finishReasons: {
    MAX_TOKENS: 'length',
    SAFETY: 'content_filter',
    RECITATION: 'content_filter',
    LANGUAGE: 'content_filter',
    BLOCKLIST: 'content_filter',
    PROHIBITED_CONTENT: 'content_filter',
    SPII: 'content_filter',
    IMAGE_SAFETY: 'content_filter',
    IMAGE_PROHIBITED_CONTENT: 'content_filter',
    IMAGE_RECITATION: 'content_filter',
  },
} as const satisfies DialectFacts;
