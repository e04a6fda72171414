/** The problems that endpoints share by kind: authenticated, with a body, charged. */
import type { ProblemCode } from '../kernel/problem-codes.ts';
import { IN_SPACE } from './administration/admin-endpoint.ts';
import type { Endpoint } from './endpoint.ts';

/** Problems of any endpoint before its own code runs. */
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

/** Problems of every endpoint that requires a key. */
export const credentialProblems: readonly ProblemCode[] = [
  'missing_credentials',
  'invalid_credentials',
  'api_key_expired',
  'service_unavailable',
];

/** Problems of every endpoint that requires a console session. */
export const sessionProblems: readonly ProblemCode[] = [
  'missing_credentials',
  'invalid_credentials',
  'service_unavailable',
];

/** Additional problems of every write with a console session. */
export const sessionWriteProblems: readonly ProblemCode[] = ['csrf_failed'];

/** Additional problems of every operation of administration. */
export const administrationProblems: readonly ProblemCode[] = [
  'permission_denied',
  'invalid_parameter',
  'rate_limit_exceeded',
];

/** Problems of every charged call. */
export const spendingProblems: readonly ProblemCode[] = [
  'price_missing',
  'insufficient_units',
  'policy_limit_exceeded',
  'budget_exceeded',
  'budget_held',
];

/** Problems that occur only in the error file of a batch. */
export const batchLineProblems: readonly ProblemCode[] = ['unsupported_parameter'];

/** Problems of every endpoint with a JSON body. */
export const bodyProblems: readonly ProblemCode[] = [
  'invalid_json',
  'invalid_parameter',
  'request_too_large',
  'unsupported_media_type',
];

/** Problems of every endpoint that accepts only a form. */
export const formProblems: readonly ProblemCode[] = ['invalid_parameter', 'unsupported_media_type'];

/** Problems of every endpoint that accepts an Idempotency-Key. */
export const idempotencyProblems: readonly ProblemCode[] = [
  'idempotency_key_invalid',
  'idempotency_conflict',
  'idempotency_in_flight',
];

/** Additional problems of a model call that is repeated with its Idempotency-Key. */
export const repeatableProblems: readonly ProblemCode[] = ['answer_not_kept'];

/** All problems of an endpoint. */
export function problemsOf(endpoint: Endpoint): ProblemCode[] {
  return [...new Set([...ownProblemsOf(endpoint), ...commonProblems])];
}

/** The problems of an endpoint and its kind, without those that any endpoint can answer. */
export function ownProblemsOf(endpoint: Endpoint): ProblemCode[] {
  const all = [
    ...accessProblems(endpoint),
    ...(endpoint.request === undefined ? [] : bodyProblems),
    ...(endpoint.request === undefined && endpoint.form !== undefined ? formProblems : []),
    ...(endpoint.idempotent ? repeatProblems(endpoint) : []),
    ...(endpoint.repeatable ? repeatableProblems : []),
    ...(endpoint.charged ? spendingProblems : []),
    ...(endpoint.problems ?? []),
  ];
  return [...new Set(all)];
}

/** In administration a repeated request waits for the first one. */
function repeatProblems({ credential }: Endpoint): readonly ProblemCode[] {
  if (credential !== 'administration') return idempotencyProblems;
  return idempotencyProblems.filter((code) => code !== 'idempotency_in_flight');
}

function accessProblems({ credential, method, path }: Endpoint): readonly ProblemCode[] {
  if (credential === 'none') return [];
  if (credential !== 'session' && credential !== 'administration') return credentialProblems;
  const session = method === 'GET' ? sessionProblems : [...sessionProblems, ...sessionWriteProblems];
  if (credential === 'session') return session;
  // The space in the path may not exist.
  const missing: readonly ProblemCode[] = path.startsWith(IN_SPACE) ? ['not_found'] : [];
  // Every change reads a body, also one that takes no fields: a stray field is rejected.
  const body = method === 'GET' ? [] : bodyProblems;
  return [...session, ...administrationProblems, ...missing, ...body];
}
