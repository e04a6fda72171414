import { LeaseLost } from './lease-lost.ts';
import { type ProblemCode, problemCodeEntry } from './problem-codes.ts';

/** One validation error of a query, as the platform API reports it. */
export interface InvalidItem {
  /** Where: `['query', 'month']`. */
  readonly loc: ReadonlyArray<string | number>;
  readonly msg: string;
  readonly type: string;
}

/** An invalid row of a file, and why it is invalid. */
export interface InvalidRow {
  readonly row: number;
  readonly reason: string;
  /** The path of the invalid field; null if the whole row is invalid. */
  readonly field: string | null;
}

/** Which provider failed a call and what it said, masked. For operators: in the log and in `tollgate why`. */
export interface UpstreamReport {
  readonly provider: string;
  /** Such as `fast/0`. */
  readonly route: string;
  /** The code that the caller used, and the name at the provider. */
  readonly model: string;
  readonly upstream_model: string;
  readonly attempts: number;
  /** Left out if there was no answer. */
  readonly provider_status?: number;
  readonly provider_said?: string;
}

/** What a client library reads to go on by itself. */
export interface ErrorDetails {
  readonly error_code: string;
  /** The fields that are not supported. */
  readonly unsupported?: readonly string[];
}

export interface ProblemOptions {
  /** What happened and what to do about it; sent to the caller. */
  readonly detail?: string;
  /** The path of the invalid request field, such as `messages[0].role`. */
  readonly param?: string;
  /** For `validation_error`: all errors. */
  readonly items?: readonly InvalidItem[];
  /** For requests that consist of rows: the first invalid rows. */
  readonly rows?: readonly InvalidRow[];
  readonly details?: ErrorDetails;
  /** How long a client should wait before it retries. */
  readonly retryAfterMs?: number;
  /** Additional response headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The numbers at that moment, kept for `tollgate why`; never sent. */
  readonly facts?: Readonly<Record<string, string | number>>;
  /** The underlying error: logged, never sent. */
  readonly cause?: unknown;
}

/**
 * The only error of the product. Anything else that is thrown is a bug: it is logged with its `error_ref` and answered as
 * `internal_error`.
 */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly detail: string;
  readonly param: string | null;
  readonly retryAfterMs: number | null;
  readonly items: readonly InvalidItem[] | null;
  readonly headers: Readonly<Record<string, string>> | null;
  readonly facts: Readonly<Record<string, string | number>> | null;
  readonly rows: readonly InvalidRow[] | null;
  readonly details: ErrorDetails | null;
  /** Set once, when a call has failed on its last route; never sent. */
  upstream: UpstreamReport | null = null;

  constructor(code: ProblemCode, options: ProblemOptions = {}) {
    const detail = options.detail ?? problemCodeEntry(code).text;
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.detail = detail;
    this.param = options.param ?? null;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.items = options.items ?? null;
    this.headers = options.headers ?? null;
    this.facts = options.facts ?? null;
    this.rows = options.rows ?? null;
    this.details = options.details ?? null;
  }

  get status(): number {
    return problemCodeEntry(this.code).status;
  }
}

/** Something this process depends on is unavailable or full. A retry may work. */
export class Unavailable extends Error {
  override readonly name: string = 'Unavailable';
}

/** What callers get when the database or the file store is unavailable. */
export const STORAGE_UNAVAILABLE = {
  detail: 'The storage of the gateway is temporarily unavailable. Retry later.',
  retryAfterMs: 1_000,
};

/** Converts any thrown value into a Problem. */
export function asProblem(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  if (thrown instanceof LeaseLost) return leaseLostProblem(thrown);
  if (!(thrown instanceof Unavailable)) return new Problem('internal_error', { cause: thrown });
  return new Problem('service_unavailable', { ...STORAGE_UNAVAILABLE, cause: thrown });
}

/** For a request whose own lease ended, such as an upload that stalled. */
export function leaseLostProblem(cause: LeaseLost, code: ProblemCode = 'service_unavailable'): Problem {
  const detail = 'The request stalled for so long that it was abandoned; send it again.';
  return new Problem(code, { detail, retryAfterMs: STORAGE_UNAVAILABLE.retryAfterMs, cause });
}
