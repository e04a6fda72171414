/** The client libraries people use, pointed at a gateway: what they send and accept is the contract. */
import { type AnthropicProvider, createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI, type OpenAIProvider } from '@ai-sdk/openai';
import { createOpenAICompatible, type OpenAICompatibleProvider } from '@ai-sdk/openai-compatible';
import { Anthropic } from '@anthropic-ai/sdk';
import { ChatAnthropic, type ChatAnthropicInput } from '@langchain/anthropic';
import { ChatOpenAI, type ChatOpenAIFields, OpenAIEmbeddings } from '@langchain/openai';
import { OpenAI } from 'openai';

/** A running gateway, or anything else that has an address and a key. */
export interface Place {
  readonly url: string;
  readonly key: string;
}

/**
 * Clients that try again hide what the first answer was, so none does unless a test asks for it. The
 * AI SDK is configured per call: `generateText({ maxRetries: 0, … })`.
 */
const NO_RETRIES = { maxRetries: 0 };

type OpenAIOptions = NonNullable<ConstructorParameters<typeof OpenAI>[0]>;
type AnthropicOptions = NonNullable<ConstructorParameters<typeof Anthropic>[0]>;

export function openaiClient({ url, key }: Place, options: OpenAIOptions = {}): OpenAI {
  return new OpenAI({ ...NO_RETRIES, ...options, baseURL: `${url}/v1`, apiKey: key });
}

export function anthropicClient({ url, key }: Place, options: AnthropicOptions = {}): Anthropic {
  // The library puts /v1 in front of its paths itself.
  return new Anthropic({ ...NO_RETRIES, ...options, baseURL: url, apiKey: key });
}

/** Called with a name it speaks `/v1/responses`; `.chat(name)` speaks `/v1/chat/completions`. */
export function aiSdkOpenai({ url, key }: Place): OpenAIProvider {
  return createOpenAI({ baseURL: `${url}/v1`, apiKey: key });
}

export function aiSdkAnthropic({ url, key }: Place): AnthropicProvider {
  return createAnthropic({ baseURL: `${url}/v1`, apiKey: key });
}

export function aiSdkCompatible({ url, key }: Place): OpenAICompatibleProvider {
  return createOpenAICompatible({ name: 'tollgate', baseURL: `${url}/v1`, apiKey: key, includeUsage: true });
}

/** Speaks `/v1/chat/completions`, or `/v1/responses` with `useResponsesApi`. */
export function langchainOpenai({ url, key }: Place, fields: ChatOpenAIFields): ChatOpenAI {
  return new ChatOpenAI({ ...NO_RETRIES, ...fields, apiKey: key, configuration: { baseURL: `${url}/v1` } });
}

export function langchainEmbeddings(
  { url, key }: Place,
  fields: { model: string; dimensions?: number; encodingFormat?: 'float' | 'base64' },
): OpenAIEmbeddings {
  return new OpenAIEmbeddings({
    ...NO_RETRIES,
    ...fields,
    apiKey: key,
    configuration: { baseURL: `${url}/v1` },
  });
}

export function langchainAnthropic({ url, key }: Place, fields: ChatAnthropicInput): ChatAnthropic {
  return new ChatAnthropic({ ...NO_RETRIES, ...fields, apiKey: key, anthropicApiUrl: url });
}
