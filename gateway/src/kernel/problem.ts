import { LeaseLost } from './lease-lost.ts';
import { type ProblemCode, problemCodeEntry } from './problem-codes.ts';

/** One thing wrong with a query, as the platform API tells it. */
export interface InvalidItem {
  /** Where: `['query', 'month']`. */
  readonly loc: ReadonlyArray<string | number>;
  readonly msg: string;
  readonly type: string;
}

/** One row of a file that is not valid, and why. */
export interface InvalidRow {
  readonly row: number;
  readonly reason: string;
  /** The path of the field at fault; null when it is the row as a whole. */
  readonly field: string | null;
}

export interface ProblemOptions {
  /** What went wrong in this case and what to do about it; sent to the caller. */
  readonly detail?: string;
  /** The path of the request field at fault, such as `messages[0].role`. */
  readonly param?: string;
  /** Of `validation_error`: everything that is wrong. */
  readonly items?: readonly InvalidItem[];
  /** Of what was sent as rows: those that are wrong, the first ones first. */
  readonly rows?: readonly InvalidRow[];
  /** How long a client should wait before it tries again. */
  readonly retryAfterMs?: number;
  /** Headers of its own that stand on the answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The numbers at that moment, kept for `tollgate why`; never sent. */
  readonly facts?: Readonly<Record<string, string | number>>;
  /** What lay behind it: logged, never sent. */
  readonly cause?: unknown;
}

/**
 * The one error of the product. Whatever is thrown and is not a Problem is a bug: it is logged with
 * its `error_ref` and answered as `internal_error`.
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
  }

  get status(): number {
    return problemCodeEntry(this.code).status;
  }
}

/** Something this process depends on is unavailable or full. A retry may work. */
export class Unavailable extends Error {
  override readonly name: string = 'Unavailable';
}

const RETRY_AFTER_MS = 1_000;

/** Turns anything thrown into a Problem, so that every edge has one thing to answer. */
export function asProblem(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  if (thrown instanceof LeaseLost) return leaseLostProblem(thrown);
  if (!(thrown instanceof Unavailable)) return new Problem('internal_error', { cause: thrown });
  return new Problem('service_unavailable', {
    detail: 'What the gateway keeps cannot be reached at the moment; try again a little later.',
    retryAfterMs: RETRY_AFTER_MS,
    cause: thrown,
  });
}

/** For a request whose own lease ended, such as an upload that stalled. */
export function leaseLostProblem(cause: LeaseLost, code: ProblemCode = 'service_unavailable'): Problem {
  const detail = 'The request stalled for so long that it was abandoned; send it again.';
  return new Problem(code, { detail, retryAfterMs: RETRY_AFTER_MS, cause });
}
