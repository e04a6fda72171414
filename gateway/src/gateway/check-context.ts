/** Refuses a prompt that cannot fit the model's context, where the catalogue tells its size. */
import type { Model } from '../catalog/model.ts';
import { Problem } from '../kernel/problem.ts';
import type { TextFeatures } from '../text/text-features.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';

/**
 * A token is at least one byte, so a body of fewer bytes than the context has tokens is never
 * counted: null at once. Images are not counted; the provider refuses what they make too long.
 */
export function checkContext(
  model: Model,
  call: { features: TextFeatures; bytes: number },
  promptTexts: () => string[],
  tools: { tokens: TokenCounter },
): Promise<void> | null {
  const { contextTokens, code } = model;
  const { outputTokensMax } = call.features;
  if (contextTokens === null || call.bytes + (outputTokensMax ?? 0) <= contextTokens) return null;
  return tools.tokens.count(promptTexts()).then((tokens) => {
    if (tokens + (outputTokensMax ?? 0) <= contextTokens) return;
    const output = outputTokensMax === null ? '' : ` and ${outputTokensMax} of output`;
    // Client libraries tell this error by the words "prompt is too long" and "maximum context length".
    throw new Problem('context_length_exceeded', {
      detail:
        `The prompt is too long: about ${tokens} tokens${output} exceed the maximum context length of ` +
        `${contextTokens} tokens of ${code}.`,
      param: call.features.params.messages,
    });
  });
}
