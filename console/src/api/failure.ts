/** Why a call to the gateway failed, in a sentence for people, and its name in the logs. */
import type { ErrorBody } from '../../../gateway/src/contract/error-body.ts';
import { textNow } from '../text/define-texts.ts';
import { apiTexts } from './texts.ts';

export interface Failure {
  readonly sentence: string;
  /** Null when there was no answer. */
  readonly errorRef: string | null;
  /** Of the answer, if there was one. */
  readonly status?: number;
  /** The field that is wrong. */
  readonly param?: string | null;
}

export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.sentence);
    this.failure = failure;
  }
}

/** The gateway's own words; something between us and it may have answered in others. */
export async function failureOf(response: Response): Promise<Failure> {
  const body: unknown = await response.json().catch(() => null);
  const { status } = response;
  const failure = failureIn(body);
  if (failure !== null) return { ...failure, status };
  return {
    sentence: textNow(apiTexts, 'noExplanation', { status }),
    errorRef: response.headers.get('x-request-id'),
    status,
  };
}

/** The failure in a body or a stream frame, or null if there is none. */
export function failureIn(body: unknown): Failure | null {
  const { type, detail, error_ref: errorRef, error } = (body ?? {}) as Partial<ErrorBody>;
  if (typeof type !== 'string' || typeof detail !== 'string') return null;
  return { sentence: detail, errorRef: errorRef ?? null, param: error?.param ?? null };
}

/** What was thrown, as a failure: a `TypeError` is how fetch says that nobody answered. */
export function asFailure(thrown: unknown): Failure {
  if (thrown instanceof CallFailed) return thrown.failure;
  const sentence =
    thrown instanceof TypeError
      ? textNow(apiTexts, 'unreachable', { host: location.host })
      : textNow(apiTexts, 'unreadable', { reason: String(thrown) });
  return { sentence, errorRef: null };
}

export function isAbort(thrown: unknown): boolean {
  return thrown instanceof DOMException && thrown.name === 'AbortError';
}
