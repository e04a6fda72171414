/**
 * The body of every gateway error. `error` repeats the top level because the OpenAI client libraries read
 * nothing else.
 */
import { type Static, Type } from 'typebox';
import type { Problem } from '../kernel/problem.ts';
import { nullable } from './schema.ts';

export const ErrorBody = Type.Object({
  type: Type.String({ description: 'The error code.' }),
  detail: Type.String({ description: 'What went wrong and what to do.' }),
  error_ref: Type.String({
    description: 'Identifies this response in logs; include it when you ask for help.',
  }),
  error: Type.Object({
    message: Type.String(),
    type: Type.String(),
    code: Type.String(),
    param: nullable(Type.String()),
    detail: Type.String(),
    error_ref: Type.String(),
    rows: Type.Optional(
      Type.Array(
        Type.Object({
          row: Type.Integer({ minimum: 1 }),
          reason: Type.String(),
          field: nullable(Type.String()),
        }),
        { description: 'For a batch file: the invalid rows, at most 100.' },
      ),
    ),
  }),
});
export type ErrorBody = Static<typeof ErrorBody>;

/** The body of a 422: the platform API's own shape. */
export const ValidationErrorBody = Type.Object({
  detail: Type.Array(
    Type.Object({
      loc: Type.Array(Type.Union([Type.String(), Type.Integer()])),
      msg: Type.String(),
      type: Type.String(),
    }),
  ),
  error_ref: Type.String(),
});

export type ValidationErrorBody = Static<typeof ValidationErrorBody>;

/** The body for a problem, in the shape of its kind. */
export function problemBody(problem: Problem, errorRef: string): ErrorBody | ValidationErrorBody {
  const { items } = problem;
  if (items === null) return errorBody(problem, errorRef);
  return { detail: items.map((item) => ({ ...item, loc: [...item.loc] })), error_ref: errorRef };
}

export function errorBody(problem: Problem, errorRef: string): ErrorBody {
  const { code, detail, param, rows } = problem;
  return {
    type: code,
    detail,
    error_ref: errorRef,
    error: {
      ...{ message: detail, type: code, code, param, detail, error_ref: errorRef },
      ...(rows !== null && { rows: rows.map(({ row, reason, field }) => ({ row, reason, field })) }),
    },
  };
}
