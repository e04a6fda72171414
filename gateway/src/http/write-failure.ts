/** Writes an error as the last events of a stream that is followed, not produced, here. */

import type { JsonObject } from '../json/parse-json.ts';
import { toByteString } from '../kernel/byte-string.ts';
import type { Problem } from '../kernel/problem.ts';
import type { TextFormat } from '../text/text-format.ts';

/** The body is that of an earlier request, which was checked then. */
export function failureIn<Request>(
  format: TextFormat<Request>,
  { value }: Pick<JsonObject, 'value'>,
): (problem: Problem, callId: string) => string {
  return (problem, callId) => {
    const model = String(value.model);
    const context = { request: value as Request, callId, model, createdSeconds: 0, answers: 1 };
    return toByteString(format.writeStream(context).failure(problem, callId));
  };
}
