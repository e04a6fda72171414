/**
 * The body of every gateway error. `error` repeats the top level because the OpenAI client libraries read
 * nothing else.
 */
import { type Static, Type } from 'typebox';
import type { Problem } from '../kernel/problem.ts';
import { nullable } from './schema.ts';

export const ErrorBody = Type.Object(
  {
    type: Type.String({ description: 'The error code.' }),
    detail: Type.String({ description: 'What went wrong and what to do.' }),
    error_ref: Type.String({
      description: 'Identifies this response in logs; include it when you ask for help.',
    }),
    error: Type.Object(
      {
        message: Type.String({ description: 'The same as `detail`.' }),
        type: Type.String({ description: 'The error code.' }),
        code: Type.String({ description: 'The error code.' }),
        param: nullable(
          Type.String({ description: 'The path of the field at fault, such as `messages[0].role`.' }),
        ),
        detail: Type.String({ description: 'What went wrong and what to do.' }),
        error_ref: Type.String({ description: 'The same as above.' }),
        details: Type.Optional(
          Type.Object(
            {
              error_code: Type.String({ description: 'The cause, such as `thread_unsupported_request`.' }),
              unsupported: Type.Optional(
                Type.Array(Type.String(), { description: 'The fields that are not supported.' }),
              ),
            },
            { description: 'For errors of messages: what the Anthropic client library reads.' },
          ),
        ),
        rows: Type.Optional(
          Type.Array(
            Type.Object({
              row: Type.Integer({ minimum: 1, description: 'The number of the row, from 1.' }),
              reason: Type.String({ description: 'Why it is invalid, such as `duplicate_custom_id`.' }),
              field: nullable(Type.String({ description: 'The field at fault, if it is one.' })),
            }),
            {
              description:
                'For a batch file: everything that is wrong with its invalid rows, at most 100 rows. A row may have several entries.',
            },
          ),
        ),
      },
      { description: 'The same again, where the OpenAI client libraries read it.' },
    ),
  },
  { description: 'An error.' },
);
export type ErrorBody = Static<typeof ErrorBody>;

/** The body of a 422: the platform API's own shape. */
export const ValidationErrorBody = Type.Object(
  {
    detail: Type.Array(
      Type.Object({
        loc: Type.Array(Type.Union([Type.String(), Type.Integer()]), {
          description: 'Where: `["query", "month"]`.',
        }),
        msg: Type.String({ description: 'What is wrong.' }),
        type: Type.String({ description: 'The kind of mistake.' }),
      }),
      { description: 'All mistakes.' },
    ),
    error_ref: Type.String({
      description: 'Identifies this response in logs; include it when you ask for help.',
    }),
  },
  { description: 'An invalid query or form.' },
);

export type ValidationErrorBody = Static<typeof ValidationErrorBody>;

/** The body for a problem, in the shape of its kind. */
export function problemBody(problem: Problem, errorRef: string): ErrorBody | ValidationErrorBody {
  const { items } = problem;
  if (items === null) return errorBody(problem, errorRef);
  return { detail: items.map((item) => ({ ...item, loc: [...item.loc] })), error_ref: errorRef };
}

export function errorBody(problem: Problem, errorRef: string): ErrorBody {
  const { code, detail, param, rows, details } = problem;
  return {
    type: code,
    detail,
    error_ref: errorRef,
    error: {
      message: detail,
      type: code,
      code,
      param,
      detail,
      error_ref: errorRef,
      ...(details !== null && { details: { ...details, unsupported: [...(details.unsupported ?? [])] } }),
      ...(rows !== null && { rows: rows.map(({ row, reason, field }) => ({ row, reason, field })) }),
    },
  };
}
