/** Refuses a prompt that cannot fit the model's context, where the catalogue tells its size. */
import type { Model } from '../catalog/model.ts';
import { Problem } from '../kernel/problem.ts';
import type { TextFeatures } from '../text/text-features.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import { TOO_LONG } from './provider-problem.ts';

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
    throw new Problem('context_length_exceeded', {
      detail: `${TOO_LONG}: about ${tokens} tokens${output}, ${code} has ${contextTokens}.`,
      param: call.features.params.messages,
    });
  });
}
