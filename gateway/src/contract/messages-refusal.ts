/**
 * Refusals of a messages call in the form that Anthropic gives them: `tools.0.custom.name: Field required`.
 * Agents read these words: Claude Code leaves a field out when it is told so in this form, and gives up
 * when it is told in another.
 */
import { Problem } from '../kernel/problem.ts';
import type { ProblemCode } from '../kernel/problem-codes.ts';
import type { ShapeError } from './check-shape.ts';

export const EXTRA_INPUT = 'Extra inputs are not permitted';

/** `sentence` is what is wrong with the field; `error.param` keeps the path as all formats write it. */
export function messagesProblem(
  param: string,
  sentence: string,
  code: ProblemCode = 'invalid_parameter',
): Problem {
  return new Problem(code, { detail: `${providerPath(param)}: ${sentence}`, param });
}

export function messagesShapeProblem(error: ShapeError, code: ProblemCode = 'invalid_parameter'): Problem {
  const { path, message } = error;
  return path === ''
    ? new Problem(code, { detail: `The body ${message}.`, param: path })
    : messagesProblem(path, shapeSentence(message), code);
}

/** `tools[3].defer_loading` → `tools.3.custom.defer_loading` */
function providerPath(param: string): string {
  const dotted = param.replaceAll(/\[(\d+)\]/g, '.$1');
  return dotted.replace(/^tools\.(\d+)\.(?!type$)/, 'tools.$1.custom.');
}

function shapeSentence(message: string): string {
  if (message === 'is required') return 'Field required';
  if (message === 'is not a known field') return EXTRA_INPUT;
  if (message.startsWith('must be ')) return `Input should be ${message.slice('must be '.length)}`;
  return `Input ${message}`;
}
