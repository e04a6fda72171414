/** Amazon Bedrock as a dialect: what its endpoints have in common. */
import { type Dialect, type FaultStatus, oneHeader } from '../dialect.ts';
import { readBearer } from '../openai/read-bearer.ts';
import type { Refusal } from '../refusal.ts';
import { exceptionFrame } from './event-message.ts';
import { exception, writeRefusal } from './refusals.ts';
import { isSigned } from './verify-signature.ts';

const failures: Readonly<Record<FaultStatus, Refusal>> = {
  400: exception(400, 'The provided request is not valid'),
  401: exception(401, 'The security token included in the request is expired', 'ExpiredTokenException'),
  403: exception(
    403,
    'User: arn:aws:iam::481516234299:user/sim is not authorized to perform: bedrock:InvokeModel',
  ),
  404: exception(404, 'This model version has reached the end of its life.'),
  408: exception(408, 'The model took too long to answer.'),
  409: exception(409, 'The request conflicts with another.', 'ConflictException'),
  413: exception(413, 'Request Entity Too Large', 'RequestEntityTooLargeException'),
  422: exception(422, 'The request was well-formed but could not be processed.'),
  429: exception(429, 'Too many tokens, please wait before trying again.'),
  500: exception(
    500,
    'The system encountered an unexpected error during processing. Try your request again.',
  ),
  503: exception(503, 'Bedrock is unable to process your request.'),
  529: exception(529, 'The model is overloaded.', 'ServiceUnavailableException'),
};

export const bedrock: Dialect = {
  host: 'bedrock-runtime.us-east-1.amazonaws.com',
  speaks: (path) => path.startsWith('/model/') || path === '/foundation-models',
  /** A key of Bedrock's own, or the signature by an access key. */
  readKey: (headers) => readBearer(headers) ?? oneHeader(headers, 'authorization'),
  accepts: (apiKey, request) =>
    readBearer(request.headers) === apiKey || isSigned(request, { secret: apiKey }),
  replyHeaders: (requestId) => ({ 'x-amzn-requestid': requestId }),
  byteStreams: 'application/vnd.amazon.eventstream',
  writeRefusal,
  refusalFrame: exceptionFrame,
  missingKey: () => exception(403, 'Missing Authentication Token', 'MissingAuthenticationTokenException'),
  wrongKey: () =>
    exception(
      403,
      'The request signature we calculated does not match the signature you provided. ' +
        'Check your AWS Secret Access Key and signing method. Consult the service documentation for details.',
      'InvalidSignatureException',
    ),
  unknownPath: () => exception(404, '', 'UnknownOperationException'),
  wrongMethod: () => exception(404, '', 'UnknownOperationException'),
  failWith: (status) => failures[status],
  midStreamStatus: 503,
  modelsPath: '/foundation-models',
  writeModels: (names) =>
    JSON.stringify({ modelSummaries: names.map((name) => ({ modelId: name, modelName: name })) }),
};
