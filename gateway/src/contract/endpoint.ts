/** What an endpoint is. */
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
  /** The same request as a form with files; without a request, a form is all there is. */
  readonly form?: TSchema;
  /** Whether the request may be sent without its body. */
  readonly bodyOptional?: true;
  /** Whether an Idempotency-Key makes it happen once. */
  readonly idempotent?: true;
  /** The parameters of its query. */
  readonly query?: TObject;
  readonly response: TSchema;
  /** What the response is, where it is not JSON. */
  readonly responseType?: string;
  /** The shape of one `data:` line, where the endpoint can stream. */
  readonly event?: TSchema;
  /** Problems of its own; those that come with its kind are in endpoint-problems.ts. */
  readonly problems: readonly ProblemCode[];
}
