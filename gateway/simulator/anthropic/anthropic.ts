/** Anthropic as a dialect: what its endpoints have in common. */
import { type Dialect, type FaultStatus, oneHeader } from '../dialect.ts';
import { Refusal } from '../refusal.ts';
import { writeModels } from './list-models.ts';
import { writeRefusal, writeRefusalFrame } from './refusals.ts';

const ORGANISATION = '7c1e5a90-5d3e-4f0b-9d3a-simulated0rg';
const RESET_AT = '2026-01-01T00:00:01Z';

const failures: Readonly<Record<FaultStatus, Refusal>> = {
  400: new Refusal(400, 'The request is not valid.'),
  401: new Refusal(401, 'invalid x-api-key'),
  403: new Refusal(403, 'Your API key does not have permission to use the specified resource.'),
  404: new Refusal(404, 'model: claude-gone'),
  408: new Refusal(408, 'The request took too long to arrive.'),
  409: new Refusal(409, 'The resource was changed by another request.'),
  413: new Refusal(413, 'Request exceeds the maximum size'),
  422: new Refusal(422, 'The request was well-formed but could not be processed.'),
  429: new Refusal(
    429,
    `This request would exceed the rate limit for your organization (${ORGANISATION}) of 30,000 input tokens per minute.`,
    {
      headers: {
        'retry-after': '1',
        'x-should-retry': 'true',
        'anthropic-ratelimit-input-tokens-remaining': '0',
      },
    },
  ),
  500: new Refusal(500, 'Internal server error', { headers: { 'x-should-retry': 'true' } }),
  503: new Refusal(503, 'Service unavailable', { headers: { 'x-should-retry': 'true' } }),
  529: new Refusal(529, 'Overloaded', { headers: { 'x-should-retry': 'true' } }),
};

export const anthropic: Dialect = {
  host: 'api.anthropic.com',
  /** The list of models is at the path OpenAI has it at: only the header tells them apart. */
  speaks: (path, headers) =>
    path.startsWith('/v1/messages') || oneHeader(headers, 'anthropic-version') !== null,
  readKey: (headers) => oneHeader(headers, 'x-api-key'),
  replyHeaders: (requestId) => ({
    'request-id': requestId,
    'anthropic-organization-id': ORGANISATION,
    ...rateLimits,
    'cf-ray': '9f1simulated-ICN',
    server: 'cloudflare',
  }),
  writeRefusal,
  refusalFrame: writeRefusalFrame,
  missingKey: () => new Refusal(401, 'x-api-key header is required'),
  wrongKey: () => failures[401],
  unknownPath: () => new Refusal(404, 'Not found'),
  wrongMethod: () => new Refusal(405, 'Method Not Allowed'),
  failWith: (status) => failures[status],
  midStreamStatus: 529,
  modelsPath: '/v1/models',
  writeModels,
};

const rateLimits = Object.fromEntries(
  [
    ['requests', '4000'],
    ['tokens', '480000'],
    ['input-tokens', '400000'],
    ['output-tokens', '80000'],
  ].flatMap(([of, limit]) => [
    [`anthropic-ratelimit-${of}-limit`, limit],
    [`anthropic-ratelimit-${of}-remaining`, limit],
    [`anthropic-ratelimit-${of}-reset`, RESET_AT],
  ]),
) as Record<string, string>;
