/**
 * Servers that speak OpenAI's chat protocol, as data: a row for each, with what is known of it and how it differs. The
 * settings of a provider name the vendor; the default is the protocol as OpenAI publishes it.
 */
import type { ServiceFacts } from '../dialect-facts.ts';
import { deepseekTraits, grokTraits, groqTraits, mistralTraits } from './vendor-traits.ts';

/** How a server wants to be asked. */
export interface ChatRules {
  /** The field for the output cap. The catalogue can override it for a model. */
  readonly outputCapField: 'max_tokens' | 'max_completion_tokens';
  /** False: the server rejects `stream_options` and always sends the usage of a stream. */
  readonly asksUsage: boolean;
  /** The value of `tool_choice` that requires a tool call. */
  readonly toolRequired: 'required' | 'any';
  readonly topK: boolean;
  readonly seedField: 'seed' | 'random_seed';
  readonly jsonSchema: boolean;
  readonly answers: boolean;
  /** The field for reasoning of earlier turns; null if the server accepts none. */
  readonly reasoningField: 'reasoning_content' | 'reasoning' | null;
  readonly penalties: boolean;
  readonly user: boolean;
  /** Whether it takes `prompt_cache_key` and OpenAI's other fields for its cache, and `cache_control` on parts. */
  readonly cacheKey: boolean;
  readonly cacheMarkers: boolean;
}

const published: ChatRules = {
  outputCapField: 'max_completion_tokens',
  asksUsage: true,
  toolRequired: 'required',
  topK: false,
  seedField: 'seed',
  jsonSchema: true,
  answers: true,
  reasoningField: null,
  penalties: true,
  user: true,
  cacheKey: false,
  cacheMarkers: false,
};

/** Self-hosted servers accept a few more fields, and the older field for the output cap. */
const selfHosted: ChatRules = {
  ...published,
  outputCapField: 'max_tokens',
  topK: true,
  reasoningField: 'reasoning_content',
};

export const openaiChat: ChatRules = { ...published, cacheKey: true };
/** Of a server whose vendor is not named. */
export const compatibleChat: ChatRules = {
  ...published,
  outputCapField: 'max_tokens',
  reasoningField: 'reasoning_content',
};

interface ChatVendor extends ServiceFacts {
  readonly chat: ChatRules;
}

/**
 * `traits` are left out where a server offers models of many makers under one set of rules: it adapts calls itself.
 * Prices are those of the row's name if it has a `host`.
 */
const rows = {
  vllm: { chat: selfHosted },
  ollama: { chat: { ...selfHosted, topK: false, answers: false, reasoningField: null } },
  'llama.cpp': { chat: { ...selfHosted, answers: false } },
  groq: {
    system: 'groq',
    spokenNames: ['Groq'],
    host: 'api.groq.com',
    traits: groqTraits,
    chat: { ...published, answers: false, reasoningField: 'reasoning' },
  },
  mistral: {
    system: 'mistral_ai',
    spokenNames: ['Mistral'],
    host: 'api.mistral.ai',
    traits: mistralTraits,
    chat: {
      ...published,
      outputCapField: 'max_tokens',
      asksUsage: false,
      toolRequired: 'any',
      seedField: 'random_seed',
      user: false,
    },
  },
  deepseek: {
    system: 'deepseek',
    spokenNames: ['DeepSeek'],
    host: 'api.deepseek.com',
    traits: deepseekTraits,
    chat: {
      ...published,
      outputCapField: 'max_tokens',
      jsonSchema: false,
      answers: false,
      reasoningField: 'reasoning_content',
    },
  },
  openrouter: {
    spokenNames: ['OpenRouter'],
    host: 'openrouter.ai',
    chat: {
      ...published,
      topK: true,
      outputCapField: 'max_tokens',
      reasoningField: 'reasoning',
      cacheMarkers: true,
    },
  },
  xai: {
    host: 'api.x.ai',
    sourceNames: ['x-ai'],
    traits: grokTraits,
    chat: { ...published, reasoningField: 'reasoning_content' },
  },
} as const satisfies Record<string, ChatVendor>;
export const chatVendors: Readonly<Record<keyof typeof rows, ChatVendor>> = rows;

/** Known by their address alone. A row moves up when its differences are known. */
export const hostedServices = {
  together: { host: 'api.together.xyz' },
  fireworks: { host: 'api.fireworks.ai' },
  cerebras: { host: 'api.cerebras.ai' },
  perplexity: { host: 'api.perplexity.ai' },
} as const satisfies Record<string, ServiceFacts>;
