/** Rejects inputs that exceed the token limits of the model, if the catalogue has them. */
import {
  checkInputTokens,
  checkTotalTokens,
  type TokensToCount,
  tokensToCount,
} from '../catalog/check-embedding.ts';
import type { Model } from '../catalog/model.ts';
import type { EmbeddingCall } from '../embeddings/embedding-call.ts';
import type { CountFor, TokenCounter } from '../tokens/token-counter.ts';

/** Null if nothing has to be counted, which is the usual case. */
export function checkEmbeddingTokens(
  model: Model,
  call: EmbeddingCall,
  tools: { tokens: TokenCounter; counts: () => CountFor },
): Promise<void> | null {
  const needed = tokensToCount(model, call);
  return needed === null ? null : count(model, call, { tokens: tools.tokens, of: tools.counts(), needed });
}

async function count(
  model: Model,
  call: EmbeddingCall,
  { needed, tokens, of }: { needed: TokensToCount; tokens: TokenCounter; of: CountFor },
): Promise<void> {
  const countInput = async (index: number): Promise<number | null> => {
    const input = call.inputs[index] ?? '';
    return typeof input === 'string' ? await tokens.count([input], of) : input.length;
  };
  const long = new Set(needed.long);
  let total = 0;
  // One by one: after the first that is too long, the rest need not be counted.
  for (const index of long) {
    const counted = await countInput(index);
    // What could not be counted in time is for the provider to reject.
    if (counted === null) return;
    checkInputTokens(model, call, { index, tokens: counted });
    total += counted;
  }
  if (!needed.total) return;
  const others = call.inputs.filter((_, index) => !long.has(index));
  const texts = others.filter((input) => typeof input === 'string');
  const ids = others.reduce((sum, input) => sum + (typeof input === 'string' ? 0 : input.length), 0);
  const counted = await tokens.count(texts, of);
  if (counted !== null) checkTotalTokens(model, total + ids + counted);
}
