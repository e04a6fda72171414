/** Google's Gemini API as a dialect: what its endpoints have in common. */
import { type Dialect, type FaultStatus, oneHeader } from '../dialect.ts';
import { Refusal } from '../refusal.ts';
import { writeModels } from './list-models.ts';
import { missingKey, writeRefusal, writeRefusalFrame, wrongKey } from './refusals.ts';

const failures: Readonly<Record<FaultStatus, Refusal>> = {
  400: new Refusal(400, 'Request contains an invalid argument.'),
  401: new Refusal(
    401,
    'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
  ),
  403: new Refusal(403, 'Permission denied: Consumer project-481516234299 has been suspended.'),
  404: new Refusal(404, 'models/gemini-gone is not found for API version v1beta.'),
  408: new Refusal(408, 'Deadline expired before operation could complete.'),
  409: new Refusal(409, 'The operation was aborted.'),
  413: new Refusal(413, 'Request payload size exceeds the limit: 20971520 bytes.'),
  422: new Refusal(422, 'The request was well-formed but could not be processed.'),
  429: new Refusal(429, 'You exceeded your current quota. Please retry in 1s.', {
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
        violations: [
          {
            quotaMetric: 'generativelanguage.googleapis.com/generate_content_paid_tier_input_token_count',
            quotaId: 'GenerateContentPaidTierInputTokensPerModelPerMinute',
            quotaValue: '30000',
          },
        ],
      },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1s' },
    ],
  }),
  500: new Refusal(500, 'An internal error has occurred. Please retry.'),
  503: new Refusal(503, 'The model is overloaded. Please try again later.'),
  529: new Refusal(529, 'The model is overloaded. Please try again later.'),
};

export const google: Dialect = {
  host: 'generativelanguage.googleapis.com',
  speaks: (path) => path.startsWith('/v1beta') || path.startsWith('/upload/v1beta'),
  readKey: (headers, query) => oneHeader(headers, 'x-goog-api-key') ?? query.get('key'),
  /** Google tells no id of the request. */
  replyHeaders: (_, processingMs) => ({
    'server-timing': `gfet4t7; dur=${processingMs}`,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'SAMEORIGIN',
    'x-xss-protection': '0',
    vary: 'Origin, X-Origin, Referer',
    server: 'scaffolding on HTTPServer2',
  }),
  writeRefusal,
  refusalFrame: writeRefusalFrame,
  missingKey,
  wrongKey,
  unknownPath: () => new Refusal(404, 'Requested entity was not found.'),
  wrongMethod: () => new Refusal(404, 'Requested entity was not found.'),
  failWith: (status) => failures[status],
  midStreamStatus: 503,
  modelsPath: '/v1beta/models',
  writeModels,
};
