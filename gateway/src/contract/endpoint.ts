/** The description of an endpoint. */
import type { TObject, TSchema } from 'typebox';
import type { ProblemCode } from '../kernel/problem-codes.ts';

/**
 * `gateway` requires an `sk_` key as a bearer token, `messages` also accepts it in `x-api-key`; `platform`
 * requires an `mk_` key; `organization` an `mk_` key or an administration token (`at_`); `session` requires a console
 * session, in its cookie or as a bearer token; `administration` also accepts an administration token; `none` is public.
 */
export type Credential =
  | 'gateway'
  | 'messages'
  | 'platform'
  | 'organization'
  | 'session'
  | 'administration'
  | 'none';

/** Settings of an installation (`api` in tollgate.yaml) that offer endpoints. */
export interface ApiSettings {
  readonly file_lists: boolean;
}

/** Whether an installation with these settings has the endpoint. */
export function isOffered({ onlyWith }: Endpoint, settings: ApiSettings): boolean {
  return onlyWith === undefined || settings[onlyWith];
}

export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** The last parameter of the path may contain slashes, as model codes do. */
  readonly slashes?: true;
  /** How the ids in its path begin: `resp` for `/v1/responses/resp_…`. Any other word there is another path. */
  readonly ids?: string;
  /** Other paths of the same endpoint. */
  readonly alias?: string;
  readonly credential: Credential;
  /** With `anthropic-version`, it answers as clients of the messages format expect, and reads `x-api-key` as well. */
  readonly messagesShape?: true;
  readonly summary: string;
  /** Only offered if this setting is on. */
  readonly onlyWith?: keyof ApiSettings;
  /** What generated clients call it, if its own name would be a poor one. */
  readonly operationId?: string;
  /** Charged calls are rejected when the space may not spend units. */
  readonly charged?: true;
  readonly request?: TSchema;
  /** The same request as a form with files; the only form of the request if `request` is absent. */
  readonly form?: TSchema;
  /** Whether the request may be sent without its body. */
  readonly bodyOptional?: true;
  /** Whether it accepts an Idempotency-Key. */
  readonly idempotent?: true;
  /** A model call: a repeat gets the kept answer, and a stream can be resumed. */
  readonly repeatable?: true;
  /** The query parameters. */
  readonly query?: TObject;
  readonly response: TSchema;
  /** Success is a redirect (302). */
  readonly redirects?: true;
  /** The media type of the response, if it is not JSON. */
  readonly responseType?: string;
  /** Other statuses with the same body, and what they mean. */
  readonly otherAnswers?: Readonly<Record<number, string>>;
  /** The shape of one `data:` line, if the endpoint can stream. */
  readonly event?: TSchema;
  /** Its own problems; those of its kind are in endpoint-problems.ts. */
  readonly problems?: readonly ProblemCode[];
}
