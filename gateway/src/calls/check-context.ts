/** Rejects a prompt that exceeds the context length of the model, if the catalogue has one. */
import type { Model } from '../catalog/model.ts';
import { Problem } from '../kernel/problem.ts';
import type { TextFeatures } from '../text/text-features.ts';
import type { CountFor, TokenCounter } from '../tokens/token-counter.ts';
import { TOO_LONG } from './provider-problem.ts';

/**
 * Texts have three or more bytes per token, and JSON adds to them. Only rows of digits or random letters have fewer than
 * two; if such a prompt is too long, the provider rejects it.
 */
const BYTES_PER_TOKEN_MIN = 2;

/**
 * Null if no counting is needed, because the body is too short to exceed the context: counting takes many times longer
 * than the rest of a call. Images are not counted; if they make the prompt too long, the provider rejects it.
 */
export function checkContext(
  model: Model,
  call: { features: TextFeatures; bytes: number; counts: () => CountFor },
  promptTexts: () => string[],
  tools: { tokens: TokenCounter },
): Promise<void> | null {
  const { contextTokens, code } = model;
  const { outputTokensMax } = call.features;
  const tokensMax = call.bytes / BYTES_PER_TOKEN_MIN + (outputTokensMax ?? 0);
  if (contextTokens === null || tokensMax <= contextTokens) return null;
  return tools.tokens.count(promptTexts(), call.counts()).then((tokens) => {
    // A prompt that could not be counted in time is for the provider to reject.
    if (tokens === null || tokens + (outputTokensMax ?? 0) <= contextTokens) return;
    const output = outputTokensMax === null ? '' : ` and ${outputTokensMax} of output`;
    throw new Problem('context_length_exceeded', {
      detail: `${TOO_LONG}: about ${tokens} tokens${output}, ${code} has ${contextTokens}.`,
      param: call.features.params.messages,
    });
  });
}
