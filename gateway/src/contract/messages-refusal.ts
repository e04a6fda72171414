/**
 * Errors of a messages call in Anthropic's form: `tools.0.custom.name: Field required`. Agents parse this
 * text: Claude Code retries without the field if the error has this form, and fails otherwise.
 */
import { Problem } from '../kernel/problem.ts';
import type { ProblemCode } from '../kernel/problem-codes.ts';
import type { ShapeError } from './check-shape.ts';

export const EXTRA_INPUT = 'Extra inputs are not permitted';

/** `sentence` describes the mistake; `error.param` has the path as in all formats. */
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
