/** The words of a refusal in an earlier answer. Pure. */
import { objectOf, textOf } from '../json/read-json.ts';
import { Problem } from '../kernel/problem.ts';

/** Some programs write them in `text`, as in every other part. */
export function readRefusal(part: object, path: string): string {
  const { refusal, text } = objectOf(part);
  const words = textOf(refusal) || textOf(text);
  if (words !== '' || typeof refusal === 'string' || typeof text === 'string') return words;
  throw new Problem('invalid_parameter', {
    detail: `${path}.refusal is required: it has the words of the refusal.`,
    param: `${path}.refusal`,
  });
}
