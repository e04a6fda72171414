/**
 * What servers that speak OpenAI's chat protocol do differently, as data. A vendor is named in the
 * settings of a provider; without one the protocol is taken as OpenAI publishes it.
 */
import type { Vendor } from '../../../catalog/model.ts';

export interface ChatVendor {
  /** The field of the output cap, unless the catalogue says otherwise for a model. */
  readonly outputCapField: 'max_tokens' | 'max_completion_tokens';
  /** False: refuses `stream_options`, and tells the usage of a stream unasked. */
  readonly asksUsage: boolean;
  /** The word for "call some tool". */
  readonly toolRequired: 'required' | 'any';
  readonly topK: boolean;
  readonly seedField: 'seed' | 'random_seed';
  readonly jsonSchema: boolean;
  readonly answers: boolean;
  /** The field in which earlier thoughts are taken back; null takes none. */
  readonly reasoningField: 'reasoning_content' | 'reasoning' | null;
  readonly penalties: boolean;
  readonly reasoningEffort: boolean;
  readonly user: boolean;
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
  reasoningEffort: true,
  user: true,
};

/** Servers that people run themselves take a little more than is published, and the older cap field. */
const selfHosted: ChatVendor = {
  ...published,
  outputCapField: 'max_tokens',
  topK: true,
  reasoningField: 'reasoning_content',
};

export const chatVendors: Readonly<Record<Vendor | 'openai' | 'compatible', ChatVendor>> = {
  openai: published,
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
    reasoningEffort: false,
    user: false,
  },
  deepseek: {
    ...published,
    outputCapField: 'max_tokens',
    jsonSchema: false,
    answers: false,
    reasoningField: 'reasoning_content',
    reasoningEffort: false,
  },
  openrouter: { ...published, topK: true, outputCapField: 'max_tokens', reasoningField: 'reasoning' },
};
