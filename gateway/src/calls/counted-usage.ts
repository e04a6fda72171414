/** The usage of a call whose provider reported none: counted, estimated, or bounded from above. */
import { estimateTokens, roughTokens } from '../kernel/rough-tokens.ts';
import type { Usage, UsageDetails } from '../pricing/usage.ts';
import { withSeenDetails } from '../pricing/usage-details.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';

/** What is known of a call to count its tokens. */
export interface CountableTexts {
  prompt(): string[];
  /** Tokens that the prompt has as token ids. */
  readonly promptTokens?: number;
  /** Number of images in the prompt. */
  readonly images: number;
  produced(): { readonly texts: readonly string[]; readonly restCharacters: number };
  /** Tools and the tier, which are not counted but seen in the answer. */
  readonly seen?: UsageDetails | undefined;
  /** What the provider reported before the end: final for the prompt, not for the output. */
  readonly soFar?: Usage | null;
}

/** Estimate for an image of common size. */
export const TOKENS_PER_IMAGE = 1_000;

/** `lane`: the id of the space. */
export async function countedUsage(
  texts: CountableTexts,
  lane: string,
  tokens: TokenCounter,
): Promise<Usage> {
  const produced = texts.produced();
  const [prompt, output] = await Promise.all([
    tokens.countOrEstimate(texts.prompt(), { lane }),
    tokens.countOrEstimate(produced.texts, { lane }),
  ]);
  return usageOf(texts, { prompt, output: output + roughTokens(produced.restCharacters) });
}

/** Without waiting for a count. */
export function estimatedUsage(texts: CountableTexts): Usage {
  const produced = texts.produced();
  const output = estimateTokens(produced.texts) + roughTokens(produced.restCharacters);
  return usageOf(texts, { prompt: estimateTokens(texts.prompt()), output });
}

/** What a count cannot exceed: no token is shorter than a byte. */
export function usageAtMost(texts: CountableTexts): Usage {
  const produced = texts.produced();
  const output = bytesOf(produced.texts) + roughTokens(produced.restCharacters);
  return usageOf(texts, { prompt: bytesOf(texts.prompt()), output });
}

function usageOf(texts: CountableTexts, of: { prompt: number; output: number }): Usage {
  const { promptTokens = 0, images, seen, soFar = null } = texts;
  if (soFar !== null)
    return withSeenDetails({ ...soFar, outputTokens: Math.max(soFar.outputTokens, of.output) }, seen);
  const counted: Usage = {
    inputTokens: of.prompt + promptTokens + images * TOKENS_PER_IMAGE,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: of.output,
    reasoningTokens: 0,
  };
  return withSeenDetails(counted, seen);
}

function bytesOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}
