/**
 * An example of every error code, with the text that the server sends. Most are provoked by a test. The document refers
 * to them from every endpoint that lists the code and has no example of its own.
 */
import type { ProblemCode } from '../../kernel/problem-codes.ts';
import { isAdministration } from '../administration/admin-endpoint.ts';
import type { Endpoint } from '../endpoint.ts';
import { type EndpointName, endpoints } from '../endpoints.ts';
import { administrationErrorExample } from './administration/error-examples.ts';
import { docsOf } from './documentation.ts';
import { ExampleGiven } from './example-values.ts';
import { modelErrorExamples } from './model-error-examples.ts';
import type { ErrorExample, SharedErrorExample } from './operation-docs.ts';

type Examples = Readonly<Partial<Record<ProblemCode, ErrorExample>>>;

const accessExamples: Examples = {
  missing_credentials: {
    detail: 'No key was sent. Send Authorization: Bearer sk_….',
    provoke: { to: 'listModels', credential: null },
  },
  invalid_credentials: {
    detail:
      'This looks like the key of a model provider, which is not accepted here. Send Authorization: Bearer sk_….',
    provoke: { to: 'listModels', credential: 'sk-proj-0123456789' },
  },
  api_key_expired: { detail: 'The API key is past its expiry date.' },
  csrf_failed: {
    detail: 'The header x-csrf-token is missing; send the csrf value of GET /api/console/session.',
    provoke: {
      to: 'signOut',
      credential: null,
      headers: { cookie: new ExampleGiven('session cookie', 'tollgate_session=ts_…') },
    },
  },
};

const requestExamples: Examples = {
  invalid_json: {
    detail: 'The body is not well-formed JSON.',
    provoke: { to: 'createChatCompletion', text: '{"model": "sim-chat", "messages": [' },
  },
  invalid_parameter: {
    detail: 'messages is required.',
    param: 'messages',
    provoke: { to: 'createChatCompletion', body: { model: 'sim-chat' } },
  },
  unsupported_media_type: {
    detail: 'The request has Content-Type "text/plain". Send the body with Content-Type: application/json.',
    provoke: { to: 'createChatCompletion', headers: { 'content-type': 'text/plain' }, text: 'Hello' },
  },
  request_too_large: {
    detail: 'The body is larger than 16384 bytes, the limit of this endpoint. Send a smaller body.',
    provoke: { to: 'signIn', body: { email: 'demo@example.com', password: 'x'.repeat(20_000) } },
  },
  validation_error: {
    detail: 'month must be a month YYYY-MM',
    items: [
      {
        loc: ['query', 'month'],
        msg: 'month must be a month YYYY-MM and match ^\\d{4}-(?:0[1-9]|1[0-2])$',
        type: 'string_pattern_mismatch',
      },
    ],
    provoke: { to: 'getUsage', query: { month: '2026-13' } },
  },
  idempotency_key_invalid: {
    detail:
      'The Idempotency-Key header must have 1 to 255 characters that are not all spaces. Send such a key, or leave the header out.',
    provoke: { to: 'createVideo', headers: { 'idempotency-key': 'x'.repeat(256) } },
  },
  idempotency_conflict: {
    detail: 'This Idempotency-Key was already used for a different request; use a new key.',
    provoke: { to: 'createVideo', body: { model: 'sim-video', prompt: 'A blue kite over the sea' } },
  },
  idempotency_in_flight: {
    detail: 'The first request with this Idempotency-Key is still running; retry in a moment.',
  },
  response_cancelled: { detail: 'The response was cancelled.' },
  response_lost: {
    detail:
      'The process that ran this response was lost. What it had produced and stored by then is charged. Create the response again.',
  },
  answer_not_kept: {
    detail:
      'The first request with this Idempotency-Key was answered and charged as req_01kq0000000000000000000000, but its answer is too large to keep or was removed to make room. GET /v1/receipts/req_01kq0000000000000000000000 shows the charge. Use a new key to send the request again.',
  },
};

/** Errors before the code of an endpoint runs. */
const transportExamples: Examples = {
  not_found: {
    detail: '/v1/nothing does not exist. GET /docs describes all endpoints, GET /openapi.json lists them.',
    provoke: { to: 'getHealth', url: '/v1/nothing' },
  },
  method_not_allowed: {
    detail: '/health does not support POST. Use GET.',
    provoke: { to: 'getHealth', method: 'POST' },
  },
  uri_too_long: {
    detail: 'The address of the request is too long.',
    provoke: { to: 'getHealth', url: `/${'x'.repeat(9_000)}` },
  },
  headers_too_large: {
    detail: 'The headers are larger than 16384 bytes. Send fewer or shorter headers.',
    provoke: { to: 'getHealth', headers: { 'x-long': 'x'.repeat(20_000) } },
  },
  malformed_request: {
    detail: 'The connection ended before the whole body was received. Send the request again.',
  },
  upgrade_required: {
    detail:
      'The gateway does not support an upgrade to websocket. Send the request as plain HTTP, without an Upgrade header.',
  },
  request_timeout: { detail: 'The request did not arrive in time.' },
  internal_error: { detail: 'Something broke on our side.' },
  service_unavailable: { detail: 'The storage of the gateway is temporarily unavailable. Retry later.' },
};

const resourceExamples: Examples = {
  response_not_found: {
    detail:
      'previous_response_id names no kept response. Responses are kept for 30 days, unless "store" is false in the request or in the answer (an answer with more than 8388608 bytes without its media, or that could not be stored, is not kept) or the space keeps more than 1073741824 bytes. Send the whole conversation as input instead.',
    param: 'previous_response_id',
    provoke: {
      to: 'createResponse',
      body: { model: 'sim-chat', input: 'And then?', previous_response_id: 'resp_unknown' },
    },
  },
  file_not_found: {
    detail: 'There is no file "file_unknown" that this key can read.',
    param: 'file_id',
    provoke: { to: 'getFile', path: { id: 'file_unknown' } },
  },
  batch_not_found: {
    detail: 'There is no batch "batch_unknown" that this key can see.',
    param: 'batch_id',
    provoke: { to: 'getBatch', path: { id: 'batch_unknown' } },
  },
  job_not_found: {
    detail: 'There is no job "job_unknown" that this key can see.',
    param: 'job_id',
    provoke: { to: 'getJob', path: { id: 'job_unknown' } },
  },
  media_not_found: {
    detail: 'The file "media_unknown" does not exist, has expired, or belongs to another key.',
    param: 'media_id',
    provoke: { to: 'createMediaLink', path: { media_id: 'media_unknown' } },
  },
  media_not_ready: {
    detail:
      'The file media_01kdm62q5u9y3c7f1j5n9r3twz is still being generated. Poll GET /v1/jobs/job_01kdm61m2q6t0x4a8e2h6k0npw until the job has ended.',
    param: 'media_id',
  },
  range_not_satisfiable: {
    detail: 'The range begins after the end of the file, which has 18041 bytes. Ask for an earlier range.',
    provoke: { to: 'getMedia', headers: { range: 'bytes=99999999-' } },
  },
  project_not_found: {
    detail: 'There is no such project, or it is not yours to see.',
    provoke: { to: 'streamProjectLogs', path: { id: 'unknown' } },
  },
  build_not_found: {
    detail: 'There is no such build, or it is not yours to see.',
    provoke: { to: 'getBuildLog', path: { id: 'bld_unknown' } },
  },
  build_logs_unavailable: {
    detail: 'Build logs are not available yet: the build is still running.',
    provoke: {
      to: 'getBuildLog',
      path: { id: new ExampleGiven('running build', 'bld_01kdm5v4n8r2u6y0c4f8j2mpsw') },
    },
  },
};

/** Only with issuers, which the demo lacks. */
const signInExamples: Examples = {
  sign_in_not_allowed: { detail: 'Passwords are switched off on this server. Sign in with Corp.' },
};

export const errorExamples: Examples = {
  ...accessExamples,
  ...requestExamples,
  ...transportExamples,
  ...resourceExamples,
  ...signInExamples,
  ...modelErrorExamples,
};

/** The example of a code at an endpoint: its own, that of its kind, or that of all endpoints. */
export function errorExampleOf(name: EndpointName, code: ProblemCode): SharedErrorExample | null {
  const endpoint: Endpoint = endpoints[name];
  const own = docsOf(name)?.docs.errors?.[code];
  if (own !== undefined) return { name: null, example: own };
  const ofKind = isAdministration(endpoint) ? administrationErrorExample(endpoint, code) : null;
  if (ofKind !== null) return ofKind;
  return commonErrorExample(code);
}

export function commonErrorExample(code: ProblemCode): SharedErrorExample | null {
  const example = errorExamples[code];
  return example === undefined ? null : { name: code, example };
}
