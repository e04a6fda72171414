/**
 * The differences between servers that speak OpenAI's chat protocol, as data. The settings of a provider name
 * the vendor; the default is the protocol as OpenAI publishes it.
 */
import type { Vendor } from '../../../catalog/model.ts';

export interface ChatVendor {
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

const published: ChatVendor = {
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
const selfHosted: ChatVendor = {
  ...published,
  outputCapField: 'max_tokens',
  topK: true,
  reasoningField: 'reasoning_content',
};

export const chatVendors: Readonly<Record<Vendor | 'openai' | 'compatible', ChatVendor>> = {
  openai: { ...published, cacheKey: true },
  compatible: { ...published, outputCapField: 'max_tokens', reasoningField: 'reasoning_content' },
  vllm: selfHosted,
  'llama.cpp': { ...selfHosted, answers: false },
  ollama: { ...selfHosted, topK: false, answers: false, reasoningField: null },
  groq: { ...published, answers: false, reasoningField: 'reasoning' },
  mistral: {
    ...published,
    outputCapField: 'max_tokens',
    asksUsage: false,
    toolRequired: 'any',
    seedField: 'random_seed',
    user: false,
  },
  deepseek: {
    ...published,
    outputCapField: 'max_tokens',
    jsonSchema: false,
    answers: false,
    reasoningField: 'reasoning_content',
  },
  openrouter: {
    ...published,
    topK: true,
    outputCapField: 'max_tokens',
    reasoningField: 'reasoning',
    cacheMarkers: true,
  },
  xai: { ...published, reasoningField: 'reasoning_content' },
};
