/** Rejects inputs that exceed the token limits of the model, if the catalogue has them. */
import {
  checkInputTokens,
  checkTotalTokens,
  type TokensToCount,
  tokensToCount,
} from '../catalog/check-embedding.ts';
import type { Model } from '../catalog/model.ts';
import type { EmbeddingCall } from '../embeddings/embedding-call.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';

/** Null if nothing has to be counted, which is the usual case. */
export function checkEmbeddingTokens(
  model: Model,
  call: EmbeddingCall,
  tools: { tokens: TokenCounter },
): Promise<void> | null {
  const needed = tokensToCount(model, call);
  return needed === null ? null : count(model, call, { ...tools, needed });
}

async function count(
  model: Model,
  call: EmbeddingCall,
  { needed, tokens }: { needed: TokensToCount; tokens: TokenCounter },
): Promise<void> {
  const countInput = async (index: number): Promise<number> => {
    const input = call.inputs[index] ?? '';
    return typeof input === 'string' ? await tokens.count([input]) : input.length;
  };
  const long = new Set(needed.long);
  let total = 0;
  // One by one: after the first that is too long, the rest need not be counted.
  for (const index of long) {
    const counted = await countInput(index);
    checkInputTokens(model, call, { index, tokens: counted });
    total += counted;
  }
  if (!needed.total) return;
  const others = call.inputs.filter((_, index) => !long.has(index));
  const texts = others.filter((input) => typeof input === 'string');
  const ids = others.reduce((sum, input) => sum + (typeof input === 'string' ? 0 : input.length), 0);
  checkTotalTokens(model, total + ids + (await tokens.count(texts)));
}
