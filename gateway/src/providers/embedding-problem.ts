/** A provider's complaint about embeddings: which of its limits was meant. Pure. */
import { Problem } from '../kernel/problem.ts';
import type { ProblemCode } from '../kernel/problem-codes.ts';

/** Providers have no codes for these, or not always: they are told by their words. */
const limits: ReadonlyArray<[RegExp, ProblemCode]> = [
  [/tokens per request|maximum request size|array too long|at most \d+ requests/i, 'batch_too_large'],
  [/maximum (?:context|input) length|too many tokens|number of (?:input )?tokens/i, 'input_too_long'],
];

export function embeddingProblem(said: Problem): Problem {
  const { code, detail, param, cause } = said;
  if (code !== 'invalid_parameter' && code !== 'context_length_exceeded') return said;
  const told = limits.find(([words]) => words.test(detail))?.[1];
  const meant = told ?? (code === 'context_length_exceeded' ? 'input_too_long' : null);
  return meant === null ? said : new Problem(meant, { detail, cause, param: param ?? 'input' });
}
