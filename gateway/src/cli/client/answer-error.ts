/** A server answered with an error, or not at all. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError';
  /** Null: there was no answer. */
  readonly status: number | null;
  /** The code of the error, such as `not_found`. */
  readonly code: string;
  /** The field that the error names. */
  readonly param: string | null;
  /** Identifies the answer in the logs of the server. */
  readonly errorRef: string | null;

  constructor(message: string, { status, code, param, errorRef }: Partial<AnsweredFacts> = {}) {
    super(message);
    this.status = status ?? null;
    this.code = code ?? 'no_answer';
    this.param = param ?? null;
    this.errorRef = errorRef ?? null;
  }
}

interface AnsweredFacts {
  readonly status: number | null;
  readonly code: string;
  readonly param: string | null;
  readonly errorRef: string | null;
}

/** The body of an error, as far as the server is one of ours. */
interface ErrorAnswer {
  readonly type?: string;
  /** A list for a query or a form: everything that is wrong. */
  readonly detail?: string | ReadonlyArray<{ msg: string }>;
  readonly error_ref?: string;
  readonly error?: {
    readonly param?: string | null;
    readonly rows?: ReadonlyArray<{ row: number; reason: string }>;
  };
}

/** The error in an answer; `otherwise` is its message if the body has none. */
export async function readAnswerError(reply: Response, otherwise: string): Promise<AnswerError> {
  const body = (await reply.json().catch(() => null)) as ErrorAnswer | null;
  const { detail, type, error, error_ref: errorRef } = body ?? {};
  const text = typeof detail === 'object' ? detail.map(({ msg }) => msg).join(' ') : detail;
  const rows = (error?.rows ?? []).map(({ row, reason }) => `\n  row ${row}: ${reason}`).join('');
  return new AnswerError(`${text ?? otherwise}${rows}`, {
    status: reply.status,
    code: type ?? (text === undefined ? 'failed' : 'validation_error'),
    param: error?.param ?? null,
    errorRef: errorRef ?? null,
  });
}
