/** What endpoints can answer besides success because of what they are: behind a key, with a body, charged. */
import type { ProblemCode } from '../kernel/problem-codes.ts';
import type { Endpoint } from './endpoint.ts';

/** What any endpoint can answer before its own code runs. */
export const commonProblems: readonly ProblemCode[] = [
  'malformed_request',
  'upgrade_required',
  'not_found',
  'method_not_allowed',
  'request_timeout',
  'uri_too_long',
  'headers_too_large',
  'internal_error',
];

/** What every endpoint behind a key can answer. */
export const credentialProblems: readonly ProblemCode[] = [
  'missing_credentials',
  'invalid_credentials',
  'api_key_expired',
  'service_unavailable',
];

/** What every endpoint behind a console session can answer. */
export const sessionProblems: readonly ProblemCode[] = [
  'missing_credentials',
  'invalid_credentials',
  'service_unavailable',
];

/** What every write behind a console session can answer besides. */
export const sessionWriteProblems: readonly ProblemCode[] = ['csrf_failed'];

/** What every call that costs units can answer. */
export const spendingProblems: readonly ProblemCode[] = ['insufficient_units', 'policy_limit_exceeded'];

/** What is only ever said of a line, in the error file of its batch. */
export const batchLineProblems: readonly ProblemCode[] = ['unsupported_parameter'];

/** What every endpoint with a JSON body can answer. */
export const bodyProblems: readonly ProblemCode[] = [
  'invalid_json',
  'invalid_parameter',
  'request_too_large',
  'unsupported_media_type',
];

/** What every endpoint that takes a form alone can answer. */
export const formProblems: readonly ProblemCode[] = ['invalid_parameter', 'unsupported_media_type'];

/** What every endpoint can answer to an Idempotency-Key. */
export const idempotencyProblems: readonly ProblemCode[] = [
  'idempotency_key_invalid',
  'idempotency_conflict',
  'idempotency_in_flight',
];

/** Everything an endpoint can answer besides success. */
export function problemsOf(endpoint: Endpoint): ProblemCode[] {
  return [
    ...accessProblems(endpoint),
    ...(endpoint.request === undefined ? [] : bodyProblems),
    ...(endpoint.request === undefined && endpoint.form !== undefined ? formProblems : []),
    ...(endpoint.idempotent ? idempotencyProblems : []),
    ...(endpoint.charged ? spendingProblems : []),
    ...endpoint.problems,
    ...commonProblems,
  ];
}

function accessProblems({ credential, method }: Endpoint): readonly ProblemCode[] {
  if (credential === 'none') return [];
  if (credential !== 'session') return credentialProblems;
  return method === 'GET' ? sessionProblems : [...sessionProblems, ...sessionWriteProblems];
}
