/** A provider's complaint in the words of the caller: our name of the model, and words that clients know. */
import type { Model, UpstreamRoute } from '../catalog/model.ts';
import { Problem } from '../kernel/problem.ts';

/** Client libraries tell a prompt that is too long by these words alone, each by its provider's own. */
export const TOO_LONG = 'The prompt is too long for the maximum context length of the model';

/** `asWritten`: a line of a batch, whose error says `unsupported_parameter` where a call says `invalid_parameter`. */
export function providerProblem(
  said: Problem,
  at: { route: Pick<UpstreamRoute, 'upstreamModel'>; model: Pick<Model, 'code'>; asWritten?: boolean },
): Problem {
  const { param, cause, retryAfterMs } = said;
  const code = said.code === 'unsupported_parameter' && !at.asWritten ? 'invalid_parameter' : said.code;
  // Short names such as "o3" may stand inside other words.
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
