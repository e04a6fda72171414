/** The adapter of every dialect. Adding one is a line here and a line in `catalog/dialects/dialects.ts`. */
import { anthropicAdapter } from './anthropic/adapter.ts';
import { bedrockAdapter } from './bedrock/adapter.ts';
import type { DialectAdapters } from './dialect-adapter.ts';
import { googleAdapter } from './google/adapter.ts';
import { httpVideoAdapter } from './http-video/adapter.ts';
import { azureOpenaiAdapter, openaiAdapter } from './openai/adapter.ts';

export const adapters = {
  openai: openaiAdapter,
  'openai-compatible': openaiAdapter,
  'openai-responses': openaiAdapter,
  'azure-openai': azureOpenaiAdapter,
  anthropic: anthropicAdapter,
  google: googleAdapter,
  bedrock: bedrockAdapter,
  'http-video': httpVideoAdapter,
} satisfies DialectAdapters;
