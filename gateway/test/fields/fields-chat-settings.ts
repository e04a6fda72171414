/** Fields of a whole chat call. */
import type { FieldCases } from './field-case.ts';

/** Of the end user. */
const tag = { 'openai-responses': 'user', anthropic: 'metadata.user_id', else: 'omitted' };

export const chatSettings = {
  audio: { said: { audio: { voice: 'alloy', format: 'mp3' } }, becomes: { else: 'rejected' } },
  frequency_penalty: {
    said: { frequency_penalty: 0.5 },
    becomes: { google: 'generationConfig.frequencyPenalty', else: 'rejected' },
  },
  'frequency_penalty: 0': {
    said: { frequency_penalty: 0 },
    about: 'The default.',
    becomes: { google: 'generationConfig.frequencyPenalty', else: 'omitted' },
  },
  presence_penalty: {
    said: { presence_penalty: 0.5 },
    becomes: { google: 'generationConfig.presencePenalty', else: 'rejected' },
  },
  logit_bias: { said: { logit_bias: { 1: 5 } }, param: 'logit_bias', becomes: { else: 'rejected' } },
  logprobs: { said: { logprobs: true }, becomes: { else: 'rejected' } },
  top_logprobs: { said: { top_logprobs: 3 }, becomes: { else: 'rejected' } },
  max_completion_tokens: {
    said: { max_completion_tokens: 500 },
    about: 'Relayed in the field that the server or the catalogue names.',
    becomes: {
      'openai-responses': 'max_output_tokens',
      anthropic: 'max_tokens',
      google: 'generationConfig.maxOutputTokens',
      bedrock: 'inferenceConfig.maxTokens',
      'openai-compatible': 'max_tokens',
      vllm: 'max_tokens',
      ollama: 'max_tokens',
      'llama.cpp': 'max_tokens',
      mistral: 'max_tokens',
      deepseek: 'max_tokens',
      openrouter: 'max_tokens',
    },
  },
  max_tokens: {
    said: { max_tokens: 500 },
    becomes: {
      'openai-responses': 'max_output_tokens',
      anthropic: 'max_tokens',
      google: 'generationConfig.maxOutputTokens',
      bedrock: 'inferenceConfig.maxTokens',
    },
  },
  metadata: { said: { metadata: { a: 'b' } }, param: 'metadata', becomes: { else: 'rejected' } },
  modalities: {
    said: { modalities: ['text'] },
    about: 'Whether a model answers with images is in the catalogue.',
    becomes: { else: 'omitted' },
  },
  'modalities with audio': { said: { modalities: ['text', 'audio'] }, becomes: { else: 'rejected' } },
  moderation: { said: { moderation: { model: 'm' } }, param: 'moderation', becomes: { else: 'rejected' } },
  n: { said: { n: 2 }, becomes: { google: 'generationConfig.candidateCount', else: 'rejected' } },
  prediction: { said: { prediction: { type: 'content', content: 'Yes' } }, becomes: { else: 'rejected' } },
  prompt_cache_key: {
    said: { prompt_cache_key: 'k' },
    about: "OpenAI's own.",
    becomes: { 'openai-responses': 'prompt_cache_key', else: 'omitted' },
  },
  prompt_cache_options: {
    said: { prompt_cache_options: { mode: 'explicit', ttl: '30m' } },
    about: "OpenAI's own.",
    becomes: { 'openai-responses': 'prompt_cache_options', else: 'omitted' },
  },
  prompt_cache_retention: {
    said: { prompt_cache_retention: '24h' },
    about: "OpenAI's own.",
    becomes: { 'openai-responses': 'prompt_cache_retention', else: 'omitted' },
  },
  safety_identifier: {
    said: { safety_identifier: 'ada' },
    about: 'Providers without a field for the end user do not get one.',
    becomes: tag,
  },
  user: {
    said: { user: 'ada' },
    about: 'Providers without a field for the end user do not get one.',
    becomes: tag,
  },
  seed: { said: { seed: 7 }, becomes: { google: 'generationConfig.seed', else: 'rejected' } },
  'service_tier: flex': {
    said: { service_tier: 'flex' },
    becomes: { 'openai-responses': 'service_tier', bedrock: 'serviceTier.type', else: 'rejected' },
  },
  'service_tier: auto': {
    said: { service_tier: 'auto' },
    about: 'The standard tier.',
    becomes: { else: 'omitted' },
  },
  stop: {
    said: { stop: ['END'] },
    becomes: {
      'openai-responses': 'rejected',
      anthropic: 'stop_sequences',
      google: 'generationConfig.stopSequences',
      bedrock: {
        'inferenceConfig.stopSequences': ['END'],
        additionalModelResponseFieldPaths: ['/stop_sequence', '/delta/stop_sequence'],
      },
    },
  },
  store: {
    said: { store: true },
    about: 'Nothing is stored at a provider; relayed as `false`.',
    relayed: { store: false },
    becomes: { else: 'omitted' },
  },
  'stream_options.include_obfuscation': {
    beside: { stream: true },
    said: { stream_options: { include_obfuscation: false } },
    about: 'Padding between the provider and the gateway. The gateway writes its own stream.',
    becomes: { mistral: 'omitted', else: 'omitted' },
  },
  temperature: {
    said: { temperature: 0.5 },
    becomes: {
      google: 'generationConfig.temperature',
      bedrock: 'inferenceConfig.temperature',
      else: 'temperature',
    },
  },
  top_p: {
    said: { top_p: 0.5 },
    becomes: { google: 'generationConfig.topP', bedrock: 'inferenceConfig.topP', else: 'top_p' },
  },
  top_k: {
    said: { top_k: 5 },
    becomes: {
      'openai-responses': 'rejected',
      anthropic: 'top_k',
      google: 'generationConfig.topK',
      bedrock: 'additionalModelRequestFields.top_k',
    },
  },
  verbosity: {
    said: { verbosity: 'low' },
    becomes: { 'openai-responses': 'text.verbosity', else: 'rejected' },
  },
  web_search_options: {
    said: { web_search_options: { search_context_size: 'low' } },
    param: 'web_search_options',
    becomes: { else: 'rejected' },
  },
  'web_search_options: {}': { said: { web_search_options: {} }, becomes: { else: 'rejected' } },
  'a field with the name of a method': { said: { toLocaleString: 1 }, becomes: { else: 'rejected' } },
  'a field that nobody knows': { said: { x_made_up: 1 }, becomes: { else: 'rejected' } },
} as const satisfies FieldCases;
