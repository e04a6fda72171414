/**
 * The shapes and errors of model calls; part of the table in endpoints.ts. What else is known of those that are charged is
 * in paid-endpoints.ts.
 */
import type { ProblemCode } from '../kernel/problem-codes.ts';
import * as chat from './chat.ts';
import * as chatAnswer from './chat-answer.ts';
import * as chatTools from './chat-tools.ts';
import * as embeddings from './embeddings.ts';
import type { Endpoint } from './endpoint.ts';
import * as images from './images.ts';
import * as messageBlocks from './message-blocks.ts';
import * as messages from './messages.ts';
import * as messagesAnswer from './messages-answer.ts';
import { type PaidEndpointName, paidEndpoint } from './paid-endpoints.ts';
import { responseEndpoints } from './response-endpoints.ts';
import * as responses from './responses.ts';
import * as responsesAnswer from './responses-answer.ts';
import * as responsesItems from './responses-items.ts';

/** The files of their shapes, whose names `/openapi.json` takes. */
export const modelCallShapes: readonly object[] = [
  ...[chat, chatAnswer, chatTools, embeddings, images, messageBlocks, messages, messagesAnswer],
  ...[responses, responsesAnswer, responsesItems],
];

const callProblems = [
  'rate_limit_exceeded',
  'upstream_error',
  'upstream_timeout',
  'upstream_unavailable',
] as const satisfies ProblemCode[];

const imageProblems: readonly ProblemCode[] = [
  'model_not_found',
  'context_length_exceeded',
  'content_blocked',
  ...callProblems,
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
  ...callProblems,
];

export const modelCallEndpoints = {
  createChatCompletion: {
    ...paid('createChatCompletion'),
    summary: 'Create a chat completion.',
    request: chat.ChatRequest,
    response: chatAnswer.ChatCompletion,
    event: chatAnswer.ChatCompletionChunk,
    problems: textProblems,
  },
  createResponse: {
    ...paid('createResponse'),
    summary: 'Create a response.',
    request: responses.ResponsesRequest,
    response: responsesAnswer.ResponseObject,
    event: responsesAnswer.ResponseEvent,
    problems: [...textProblems, 'responses_not_supported', 'response_not_found'],
  },
  ...responseEndpoints,
  createMessage: {
    ...paid('createMessage'),
    credential: 'messages',
    summary: 'Create a message.',
    request: messages.MessagesRequest,
    response: messagesAnswer.MessagesResponse,
    event: messagesAnswer.MessagesEvent,
    problems: textProblems,
  },
  countMessageTokens: {
    method: 'POST',
    path: '/v1/messages/count_tokens',
    credential: 'messages',
    summary: 'Count the tokens of a prompt.',
    request: messages.CountTokensRequest,
    response: messagesAnswer.CountTokensResponse,
    problems: [
      'model_not_found',
      'context_length_exceeded',
      'content_blocked',
      'tool_format_invalid',
      ...callProblems,
    ],
  },
  createEmbedding: {
    ...paid('createEmbedding'),
    summary: 'Create embeddings.',
    request: embeddings.EmbeddingsRequest,
    response: embeddings.EmbeddingsResponse,
    problems: ['model_not_found', 'input_too_long', 'batch_too_large', 'content_blocked', ...callProblems],
  },
  createImage: {
    ...paid('createImage'),
    summary: 'Generate images from a prompt.',
    request: images.ImageGenerationRequest,
    response: images.ImagesResponse,
    problems: imageProblems,
  },
  editImage: {
    ...paid('editImage'),
    summary: 'Edit images with a prompt.',
    request: images.ImageEditRequest,
    form: images.ImageEditForm,
    response: images.ImagesResponse,
    problems: imageProblems,
  },
} as const satisfies Record<PaidEndpointName, Endpoint> & Record<string, Endpoint>;

/** What all of them have. */
function paid(
  name: PaidEndpointName,
): Pick<Endpoint, 'method' | 'path' | 'credential' | 'charged' | 'idempotent' | 'repeatable'> {
  const { path } = paidEndpoint(name);
  return { method: 'POST', path, credential: 'gateway', charged: true, idempotent: true, repeatable: true };
}
