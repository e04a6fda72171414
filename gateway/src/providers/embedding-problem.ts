/** Finds out which limit a provider's error about embeddings means. Pure. */
import { Problem } from '../kernel/problem.ts';
import type { ProblemCode } from '../kernel/problem-codes.ts';

/** Providers do not always send a code for these, so the message decides. */
const limits: ReadonlyArray<[RegExp, ProblemCode]> = [
  [/tokens per request|maximum request size|array too long|at most \d+ requests/i, 'batch_too_large'],
  [/maximum (?:context|input) length|too many tokens|number of (?:input )?tokens/i, 'input_too_long'],
];

export function embeddingProblem(problem: Problem): Problem {
  const { code, detail, param, cause } = problem;
  if (code !== 'invalid_parameter' && code !== 'context_length_exceeded') return problem;
  const limit = limits.find(([words]) => words.test(detail))?.[1];
  const exceeded = limit ?? (code === 'context_length_exceeded' ? 'input_too_long' : null);
  return exceeded === null ? problem : new Problem(exceeded, { detail, cause, param: param ?? 'input' });
}
