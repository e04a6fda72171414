/** Answers 503 when a store is unavailable or full: the one place that turns `Unavailable` into a Problem. */
import { LeaseLost } from './lease-lost.ts';
import { leaseLostProblem, Problem, Unavailable } from './problem.ts';
import type { ProblemCode } from './problem-codes.ts';

const STORES_AWAY = 'The gateway cannot reach its storage at the moment; try again a little later.';
const RETRY_AFTER_MS = 1_000;

export interface UnavailableAnswer {
  readonly code?: ProblemCode;
  readonly detail?: string;
}

export async function whenAvailable<T>(work: () => Promise<T>, answer: UnavailableAnswer = {}): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LeaseLost) throw leaseLostProblem(error, answer.code);
    throw error instanceof Unavailable ? unavailableProblem(error, answer) : error;
  }
}

/** Also for what waits for a store without being its caller. */
export function unavailableProblem(
  cause: Unavailable,
  { code = 'service_unavailable', detail = STORES_AWAY }: UnavailableAnswer = {},
): Problem {
  return new Problem(code, { detail, retryAfterMs: RETRY_AFTER_MS, cause });
}
