/** Answers 503 when a store is unavailable or full: the one place that turns `Unavailable` into a Problem. */
import { LeaseLost } from './lease-lost.ts';
import { leaseLostProblem, Problem, STORAGE_UNAVAILABLE, Unavailable } from './problem.ts';
import type { ProblemCode } from './problem-codes.ts';

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

/** For code that learns of the failure without calling the store itself. */
export function unavailableProblem(
  cause: Unavailable,
  { code = 'service_unavailable', detail = STORAGE_UNAVAILABLE.detail }: UnavailableAnswer = {},
): Problem {
  return new Problem(code, { ...STORAGE_UNAVAILABLE, detail, cause });
}
