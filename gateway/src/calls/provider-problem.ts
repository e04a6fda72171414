/** Rewrites a provider's error for the caller: with our model name, and in words that client libraries recognize. */
import type { Model, UpstreamRoute } from '../catalog/model.ts';
import { Problem } from '../kernel/problem.ts';

/** Client libraries recognize a prompt that is too long by these words; each provider's own are among them. */
export const TOO_LONG = 'The prompt is too long for the maximum context length of the model';

/** `asWritten`: a line of a batch reports `unsupported_parameter`, a call `invalid_parameter`. */
export function providerProblem(
  said: Problem,
  at: { route: Pick<UpstreamRoute, 'upstreamModel'>; model: Pick<Model, 'code'>; asWritten?: boolean },
): Problem {
  const { param, cause, retryAfterMs } = said;
  const code = said.code === 'unsupported_parameter' && !at.asWritten ? 'invalid_parameter' : said.code;
  // Short names such as "o3" may be part of other words.
  const name = new RegExp(`(?<![\\w.-])${escaped(at.route.upstreamModel)}(?![\\w.-]*\\w)`, 'g');
  const named = said.detail.replace(name, () => at.model.code);
  const detail = code === 'context_length_exceeded' ? `${TOO_LONG}: ${named}` : named;
  return new Problem(code, {
    detail,
    cause,
    ...(param !== null && { param }),
    ...(retryAfterMs !== null && { retryAfterMs }),
  });
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
