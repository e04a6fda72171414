/** Every protocol the simulator speaks, and every endpoint it has. */
import { anthropic } from './anthropic/anthropic.ts';
import { countMessageTokens, messages } from './anthropic/messages.ts';
import { azure, onAzure, servedOnAzure } from './azure/azure.ts';
import { anthropicBatches } from './batches/anthropic-batches.ts';
import { openAiBatches } from './batches/openai-batches.ts';
import type { ServedEndpoint } from './batches/served.ts';
import { bedrock } from './bedrock/bedrock.ts';
import { converse, converseStream } from './bedrock/converse.ts';
import type { Dialect } from './dialect.ts';
import { anthropicFiles } from './files/anthropic-files.ts';
import { googleFiles } from './files/google-files.ts';
import { batchEmbedContents, embedContent } from './google/embed.ts';
import { countTokens, generateContent, streamGenerateContent } from './google/generate.ts';
import { google } from './google/google.ts';
import { chatCompletions } from './openai/chat.ts';
import { embeddings } from './openai/embeddings.ts';
import { imageEdits, imageGenerations } from './openai/images.ts';
import { openAi } from './openai/open-ai.ts';
import { responses } from './openai/responses.ts';
import type { Endpoint } from './script.ts';
import { generic } from './videos/generic.ts';
import { genericVideos } from './videos/generic-videos.ts';
import { openAiVideos } from './videos/openai-videos.ts';
import { veoVideos } from './videos/veo-videos.ts';

/** The first that speaks for a request answers it; OpenAI speaks for all that is left. */
export const dialects: readonly Dialect[] = [google, anthropic, bedrock, azure, generic, openAi];

const openAiEndpoints: readonly Endpoint[] = [
  chatCompletions,
  responses,
  embeddings,
  imageGenerations,
  imageEdits,
];

export type AnyEndpoint = Endpoint | ServedEndpoint;

export const endpoints: readonly AnyEndpoint[] = [
  ...openAiEndpoints,
  ...openAiEndpoints.map(onAzure),
  ...anthropicFiles,
  ...openAiBatches,
  ...openAiBatches.map(servedOnAzure),
  ...anthropicBatches,
  ...openAiVideos,
  ...openAiVideos.map(servedOnAzure),
  ...veoVideos,
  ...genericVideos,
  ...googleFiles,
  messages,
  countMessageTokens,
  generateContent,
  streamGenerateContent,
  countTokens,
  embedContent,
  batchEmbedContents,
  converse,
  converseStream,
];
