/**
 * Every public endpoint, once: method, path, which key opens it, its shapes, and the problems it can
 * answer. The server mounts this table, `/openapi.json` is made from it, tests walk it.
 */
import { Type } from 'typebox';
import type { ProblemCode } from '../kernel/problem-codes.ts';
import { BatchObject, BatchRequest } from './batches.ts';
import { ChatCompletion, ChatCompletionChunk, ChatRequest } from './chat.ts';
import { consoleEndpoints } from './console-endpoints.ts';
import { EmbeddingsRequest, EmbeddingsResponse } from './embeddings.ts';
import type { Endpoint } from './endpoint.ts';
import { FileForm, FileObject } from './files.ts';
import { Health, Readiness } from './health.ts';
import { ImageEditForm, ImageEditRequest, ImageRequest, ImagesResponse } from './images.ts';
import { logEndpoints } from './log-endpoints.ts';
import { mediaEndpoints } from './media-endpoints.ts';
import {
  CountTokensRequest,
  CountTokensResponse,
  MessagesEvent,
  MessagesRequest,
  MessagesResponse,
} from './messages.ts';
import { ModelList } from './models.ts';
import { BalanceRecord, UsageQuery, UsageRecord } from './platform.ts';
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

/** What a text call can answer, in each of its formats. */
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
    summary: 'Answers a conversation, whole or as a stream of server-sent events.',
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
    summary: 'Answers in the responses format, whole or as a stream of server-sent events.',
    request: ResponsesRequest,
    response: ResponseObject,
    event: ResponseEvent,
    problems: [...textProblems, 'responses_not_supported', 'response_not_found'],
  },
  createMessage: {
    method: 'POST',
    path: '/v1/messages',
    credential: 'messages',
    charged: true,
    summary: 'Answers a conversation in the messages format, whole or as a stream of server-sent events.',
    request: MessagesRequest,
    response: MessagesResponse,
    event: MessagesEvent,
    problems: textProblems,
  },
  countMessageTokens: {
    method: 'POST',
    path: '/v1/messages/count_tokens',
    credential: 'messages',
    summary: 'Counts the tokens of a prompt in the messages format; free of charge.',
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
    summary: 'Turns texts into vectors.',
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
    summary: 'Makes images from a prompt.',
    request: ImageRequest,
    response: ImagesResponse,
    problems: imageProblems,
  },
  editImage: {
    method: 'POST',
    path: '/v1/images/edits',
    credential: 'gateway',
    charged: true,
    summary: 'Makes images from a prompt and from other images.',
    request: ImageEditRequest,
    form: ImageEditForm,
    response: ImagesResponse,
    problems: imageProblems,
  },
  createFile: {
    method: 'POST',
    path: '/v1/files',
    credential: 'gateway',
    summary: 'Uploads the requests of a batch, one in each line; they are all checked.',
    form: FileForm,
    idempotent: true,
    response: FileObject,
    problems: ['invalid_line', 'file_too_large'],
  },
  getFile: {
    method: 'GET',
    path: '/v1/files/{id}',
    credential: 'gateway',
    summary: 'Tells of a file of the same owner.',
    response: FileObject,
    problems: ['file_not_found'],
  },
  getFileContent: {
    method: 'GET',
    path: '/v1/files/{id}/content',
    credential: 'gateway',
    summary: 'The bytes of a file of the same owner.',
    response: Type.String(),
    responseType: 'application/jsonl',
    problems: ['file_not_found'],
  },
  createBatch: {
    method: 'POST',
    path: '/v1/batches',
    credential: 'gateway',
    charged: true,
    summary: 'Hands in an uploaded file, to be run within 24 hours at the prices of batches.',
    request: BatchRequest,
    idempotent: true,
    response: BatchObject,
    problems: ['file_not_found', 'endpoint_mismatch', 'model_not_batchable', 'OVERAGE_NOT_ALLOWED'],
  },
  getBatch: {
    method: 'GET',
    path: '/v1/batches/{id}',
    credential: 'gateway',
    summary: 'Tells how far a batch of the same owner is, and what it cost.',
    response: BatchObject,
    problems: ['batch_not_found'],
  },
  cancelBatch: {
    method: 'POST',
    path: '/v1/batches/{id}/cancel',
    credential: 'gateway',
    summary: 'Stops a batch; what is done already is kept and charged.',
    response: BatchObject,
    problems: ['batch_not_found', 'batch_not_cancellable'],
  },
  ...videoEndpoints,
  ...mediaEndpoints,
  listModels: {
    method: 'GET',
    path: '/v1/models',
    credential: 'gateway',
    summary: 'Lists the models of the space the key belongs to.',
    response: ModelList,
    problems: [],
  },
  getUsage: {
    method: 'GET',
    path: '/v1/usage',
    alias: '/platform/v1/usage',
    credential: 'platform',
    summary: 'What the space used in a month, by model and by key.',
    query: UsageQuery,
    response: UsageRecord,
    problems: ['validation_error'],
  },
  getBalance: {
    method: 'GET',
    path: '/v1/balance',
    alias: '/platform/v1/balance',
    credential: 'platform',
    summary: 'The units the space holds, what it owes beyond them, and whether it is blocked.',
    response: BalanceRecord,
    problems: [],
  },
  ...consoleEndpoints,
  ...logEndpoints,
  health: {
    method: 'GET',
    path: '/health',
    credential: 'none',
    summary: 'Tells that the process is alive.',
    response: Health,
    problems: [],
  },
  ready: {
    method: 'GET',
    path: '/ready',
    credential: 'none',
    summary: 'Tells whether the process should get traffic; 503 while it starts or stops.',
    response: Readiness,
    problems: [],
  },
  openapi: {
    method: 'GET',
    path: '/openapi.json',
    credential: 'none',
    summary: 'This description, as OpenAPI 3.1.',
    response: Type.Object({}),
    problems: [],
  },
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof endpoints;
