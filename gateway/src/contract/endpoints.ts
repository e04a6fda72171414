/**
 * Every public endpoint, once: method, path, authentication, shapes and problems. The server, `/openapi.json`
 * and tests use this table.
 */
import { Type } from 'typebox';
import type { ProblemCode } from '../kernel/problem-codes.ts';
import { adminEndpoints } from './administration/admin-endpoints.ts';
import { batchFileEndpoints } from './batch-file-endpoints.ts';
import { ChatRequest } from './chat.ts';
import { ChatCompletion, ChatCompletionChunk } from './chat-answer.ts';
import { consoleEndpoints } from './console-endpoints.ts';
import { developerEndpoints } from './developer-endpoints.ts';
import { EmbeddingsRequest, EmbeddingsResponse } from './embeddings.ts';
import type { Endpoint } from './endpoint.ts';
import { Health, Readiness, Welcome } from './health.ts';
import { ImageEditForm, ImageEditRequest, ImageGenerationRequest, ImagesResponse } from './images.ts';
import { logEndpoints } from './log-endpoints.ts';
import { mediaEndpoints } from './media-endpoints.ts';
import { CountTokensRequest, MessagesRequest } from './messages.ts';
import { CountTokensResponse, MessagesEvent, MessagesResponse } from './messages-answer.ts';
import { BalanceRecord, UsageQuery, UsageRecord } from './platform.ts';
import { responseEndpoints } from './response-endpoints.ts';
import { ResponsesRequest } from './responses.ts';
import { ResponseEvent, ResponseObject } from './responses-answer.ts';
import { videoEndpoints } from './video-endpoints.ts';

const imageProblems: readonly ProblemCode[] = [
  'model_not_found',
  'context_length_exceeded',
  'content_blocked',
  'rate_limit_exceeded',
  'upstream_error',
  'upstream_timeout',
  'upstream_unavailable',
];

/** Problems of a text call in every format. */
const textProblems: readonly ProblemCode[] = [
  'model_not_found',
  'context_length_exceeded',
  'content_blocked',
  'tool_format_invalid',
  'tools_not_supported',
  'vision_not_supported',
  'streaming_not_supported',
  'response_format_not_supported',
  'rate_limit_exceeded',
  'upstream_error',
  'upstream_timeout',
  'upstream_unavailable',
];

export const endpoints = {
  createChatCompletion: {
    method: 'POST',
    path: '/v1/chat/completions',
    credential: 'gateway',
    charged: true,
    idempotent: true,
    repeatable: true,
    summary: 'Create a chat completion.',
    request: ChatRequest,
    response: ChatCompletion,
    event: ChatCompletionChunk,
    problems: textProblems,
  },
  createResponse: {
    method: 'POST',
    path: '/v1/responses',
    credential: 'gateway',
    charged: true,
    idempotent: true,
    repeatable: true,
    summary: 'Create a response.',
    request: ResponsesRequest,
    response: ResponseObject,
    event: ResponseEvent,
    problems: [...textProblems, 'responses_not_supported', 'response_not_found'],
  },
  ...responseEndpoints,
  createMessage: {
    method: 'POST',
    path: '/v1/messages',
    credential: 'messages',
    charged: true,
    idempotent: true,
    repeatable: true,
    summary: 'Create a message.',
    request: MessagesRequest,
    response: MessagesResponse,
    event: MessagesEvent,
    problems: textProblems,
  },
  countMessageTokens: {
    method: 'POST',
    path: '/v1/messages/count_tokens',
    credential: 'messages',
    summary: 'Count the tokens of a prompt.',
    request: CountTokensRequest,
    response: CountTokensResponse,
    problems: [
      'model_not_found',
      'context_length_exceeded',
      'content_blocked',
      'tool_format_invalid',
      'rate_limit_exceeded',
      'upstream_error',
      'upstream_timeout',
      'upstream_unavailable',
    ],
  },
  createEmbedding: {
    method: 'POST',
    path: '/v1/embeddings',
    credential: 'gateway',
    charged: true,
    idempotent: true,
    repeatable: true,
    summary: 'Create embeddings.',
    request: EmbeddingsRequest,
    response: EmbeddingsResponse,
    problems: [
      'model_not_found',
      'input_too_long',
      'batch_too_large',
      'content_blocked',
      'rate_limit_exceeded',
      'upstream_error',
      'upstream_timeout',
      'upstream_unavailable',
    ],
  },
  createImage: {
    method: 'POST',
    path: '/v1/images/generations',
    credential: 'gateway',
    charged: true,
    idempotent: true,
    repeatable: true,
    summary: 'Generate images from a prompt.',
    request: ImageGenerationRequest,
    response: ImagesResponse,
    problems: imageProblems,
  },
  editImage: {
    method: 'POST',
    path: '/v1/images/edits',
    credential: 'gateway',
    charged: true,
    idempotent: true,
    repeatable: true,
    summary: 'Edit images with a prompt.',
    request: ImageEditRequest,
    form: ImageEditForm,
    response: ImagesResponse,
    problems: imageProblems,
  },
  ...batchFileEndpoints,
  ...videoEndpoints,
  ...mediaEndpoints,
  ...developerEndpoints,
  getUsage: {
    method: 'GET',
    path: '/v1/usage',
    alias: '/platform/v1/usage',
    credential: 'platform',
    summary: 'Get the usage of a month.',
    query: UsageQuery,
    response: UsageRecord,
    problems: ['validation_error'],
  },
  getBalance: {
    method: 'GET',
    path: '/v1/balance',
    alias: '/platform/v1/balance',
    credential: 'platform',
    summary: 'Get the balance.',
    response: BalanceRecord,
    problems: [],
  },
  ...consoleEndpoints,
  ...adminEndpoints,
  ...logEndpoints,
  getWelcome: {
    method: 'GET',
    path: '/',
    credential: 'none',
    summary: 'Say what this server is.',
    response: Welcome,
    otherAnswers: { 302: 'A browser is sent to the console.' },
    problems: [],
  },
  getHealth: {
    method: 'GET',
    path: '/health',
    credential: 'none',
    summary: 'Check that the process is alive.',
    response: Health,
    problems: [],
  },
  getReadiness: {
    method: 'GET',
    path: '/ready',
    credential: 'none',
    summary: 'Check whether the process should get traffic.',
    response: Readiness,
    otherAnswers: { 503: 'The process starts or stops.' },
    problems: [],
  },
  getOpenapi: {
    method: 'GET',
    path: '/openapi.json',
    credential: 'none',
    summary: 'Get this document.',
    response: Type.Object({}),
    problems: [],
  },
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof endpoints;
