/** The errors of a provider that got a translated body, with the caller's names of the fields. */
import { Problem } from '../kernel/problem.ts';
import { namedField } from '../providers/named-field.ts';
import type { TextProvider } from '../providers/provider.ts';
import type { TextField } from '../text/text-call.ts';

type Names = Readonly<Record<TextField, string>>;

export function withCallerNames(text: TextProvider, names: Names): TextProvider {
  return { ...text, problem: (status, body) => renamed(text.problem(status, body), text, names) };
}

/** A field that the caller does not have is not named: places in lists are other ones, too. */
function renamed(problem: Problem, { fields = {} }: TextProvider, names: Names): Problem {
  const { code, detail, param, cause, retryAfterMs } = problem;
  if (param === null) return problem;
  const field = namedField(fields, param);
  return new Problem(code, {
    detail,
    cause,
    ...(field !== null && { param: names[field].replace(/ \(.*/, '') }),
    ...(retryAfterMs !== null && { retryAfterMs }),
  });
}
