/** OpenAI as a dialect: what its endpoints have in common. */
import type { Dialect, FaultStatus } from '../dialect.ts';
import { Refusal } from '../refusal.ts';
import { writeModels } from './list-models.ts';
import { readBearer } from './read-bearer.ts';
import {
  missingKey,
  unknownPath,
  writeRefusal,
  writeRefusalFrame,
  wrongKey,
  wrongMethod,
} from './refusals.ts';
import { openAiHeaders } from './reply-headers.ts';

const failures: Readonly<Record<FaultStatus, Refusal>> = {
  400: new Refusal(400, 'The request is not valid.', { code: 'invalid_request' }),
  401: new Refusal(
    401,
    'Incorrect API key provided: sk-p********abcd. You can find your API key at https://platform.openai.com/account/api-keys.',
    { code: 'invalid_api_key' },
  ),
  403: new Refusal(403, 'Country, region, or territory not supported', {
    type: 'request_forbidden',
    code: 'unsupported_country_region_territory',
  }),
  404: new Refusal(404, 'The model `gpt-gone` does not exist or you do not have access to it.', {
    code: 'model_not_found',
  }),
  408: new Refusal(408, 'The request took too long to arrive.', { type: 'timeout' }),
  409: new Refusal(409, 'The resource was changed by another request.', { type: 'conflict' }),
  413: new Refusal(413, 'The request is too large.', { code: 'request_too_large' }),
  422: new Refusal(422, 'The request was well-formed but could not be processed.'),
  429: new Refusal(
    429,
    'Rate limit reached for sim-chat in organization org-9tZq4LwXk2VbN7mD on tokens per min (TPM): Limit 30000, Used 29937, ' +
      'Requested 385. Please try again in 1s. Visit https://platform.openai.com/account/rate-limits to learn more.',
    {
      type: 'tokens',
      code: 'rate_limit_exceeded',
      headers: { 'retry-after': '1', 'retry-after-ms': '1000', 'x-ratelimit-remaining-tokens': '63' },
    },
  ),
  500: new Refusal(500, 'The server had an error while processing your request. Sorry about that!', {
    type: 'server_error',
  }),
  503: new Refusal(503, 'The engine is currently overloaded, please try again later', {
    type: 'service_unavailable_error',
    code: 'server_overloaded',
  }),
  529: new Refusal(529, 'Overloaded', { type: 'overloaded_error' }),
};

export const openAi: Dialect = {
  host: 'api.openai.com',
  speaks: () => true,
  readKey: readBearer,
  replyHeaders: openAiHeaders,
  writeRefusal,
  refusalFrame: writeRefusalFrame,
  missingKey,
  wrongKey,
  unknownPath,
  wrongMethod,
  failWith: (status) => failures[status],
  midStreamStatus: 500,
  modelsPath: '/v1/models',
  writeModels,
};
