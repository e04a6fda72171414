/** Why a call to the gateway failed, in a sentence for people, and its name in the logs. */
import type { ErrorBody } from '../../../gateway/src/contract/error-body.ts';

export interface Failure {
  readonly sentence: string;
  /** Null when there was no answer. */
  readonly errorRef: string | null;
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
  return (
    failureIn(body) ?? {
      sentence: `The gateway answered with status ${response.status} and no explanation.`,
      errorRef: response.headers.get('x-request-id'),
    }
  );
}

/** The failure in a body or a stream frame, or null if there is none. */
export function failureIn(body: unknown): Failure | null {
  const { type, detail, error_ref: errorRef } = (body ?? {}) as Partial<ErrorBody>;
  if (typeof type !== 'string' || typeof detail !== 'string') return null;
  return { sentence: detail, errorRef: errorRef ?? null };
}

/** What was thrown, as a failure: a `TypeError` is how fetch says that nobody answered. */
export function asFailure(thrown: unknown): Failure {
  if (thrown instanceof CallFailed) return thrown.failure;
  const sentence =
    thrown instanceof TypeError
      ? `The gateway at ${location.host} cannot be reached. Is it still running?`
      : `The answer could not be read: ${String(thrown)}.`;
  return { sentence, errorRef: null };
}

export function isAbort(thrown: unknown): boolean {
  return thrown instanceof DOMException && thrown.name === 'AbortError';
}
