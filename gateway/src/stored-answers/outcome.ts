/** The stored outcome of a request. Pure. */
import { Problem } from '../kernel/problem.ts';
import type { ProblemCode } from '../kernel/problem-codes.ts';

/** A result is what the operation needs to answer again, such as the id of what it created. */
export type RequestOutcome = { readonly result: string } | { readonly problem: Problem };

/** Errors that the same request would get again. Others leave the key undecided. */
const DECIDED_STATUSES = [400, 404, 413, 415, 422];

export function isDecided(problem: Problem): boolean {
  return DECIDED_STATUSES.includes(problem.status);
}

export function writeOutcome(outcome: RequestOutcome): string {
  if ('result' in outcome) return JSON.stringify(outcome);
  const { code, detail, param, rows, details } = outcome.problem;
  return JSON.stringify({ problem: { code, detail, param, rows, details } satisfies KeptProblem });
}

export function readOutcome(text: string): RequestOutcome {
  const kept = JSON.parse(text) as { result: string } | { problem: KeptProblem };
  if ('result' in kept) return kept;
  return { problem: problemAgain(kept.problem) };
}

/** The same error once more, with headers of its own. */
export function problemAgain(
  { code, detail, param, rows, details = null }: KeptProblem,
  headers?: Readonly<Record<string, string>>,
): Problem {
  return new Problem(code, {
    detail,
    ...(headers !== undefined && { headers }),
    ...(param !== null && { param }),
    ...(rows !== null && { rows }),
    ...(details !== null && { details }),
  });
}

interface KeptProblem {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly param: Problem['param'];
  readonly rows: Problem['rows'];
  /** Not in outcomes of older versions. */
  readonly details?: Problem['details'];
}
