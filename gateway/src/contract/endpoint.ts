/** What an endpoint is, and the problems that whole groups of them share. */
import type { TObject, TSchema } from 'typebox';
import type { ProblemCode } from '../kernel/problem-codes.ts';

/**
 * `gateway` takes an `sk_` key as a bearer token, `messages` also in `x-api-key`; `platform` takes an
 * `mk_` key; `session` takes a person's console session, in its cookie or as a bearer token; `none` is
 * open to everybody.
 */
export type Credential = 'gateway' | 'messages' | 'platform' | 'session' | 'none';

export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** The same under another path. */
  readonly alias?: string;
  readonly credential: Credential;
  readonly summary: string;
  /** Calls that cost units are refused where none may be spent. */
  readonly charged?: true;
  readonly request?: TSchema;
  /** The same request as a form with files. */
  readonly form?: TSchema;
  /** The parameters of its query. */
  readonly query?: TObject;
  readonly response: TSchema;
  /** Of the answer, where it is not JSON. */
  readonly responseType?: 'application/x-ndjson' | 'text/plain';
  /** The shape of one `data:` line, where the endpoint can stream. */
  readonly event?: TSchema;
  /** Problems of its own; those every endpoint can have are in `commonProblems`. */
  readonly problems: readonly ProblemCode[];
}

/** What any endpoint can answer before its own code runs. */
export const commonProblems: readonly ProblemCode[] = [
  'malformed_request',
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

/** What every endpoint with a JSON body can answer. */
export const bodyProblems: readonly ProblemCode[] = [
  'invalid_json',
  'invalid_parameter',
  'request_too_large',
  'unsupported_media_type',
];

/** Everything an endpoint can answer besides success. */
export function problemsOf(endpoint: Endpoint): ProblemCode[] {
  return [
    ...accessProblems(endpoint),
    ...(endpoint.request === undefined ? [] : bodyProblems),
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
