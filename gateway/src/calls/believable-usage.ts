/**
 * Whether the counts of a provider can be true for this call. What cannot fit into the model, or was not sent, is a mistake of
 * the provider, and is counted here instead. The bounds are wide: tokenizers differ, and a wrong rejection would cost too. Pure.
 */
import type { Model } from '../catalog/model.ts';
import type { Usage } from '../pricing/usage.ts';

/** What limits the usage of a call. */
export interface CallSize {
  /** Of the body, or of the texts in it. */
  readonly bytes: number;
  /** Images and files that are not in the body. */
  readonly addresses: number;
  /** The number of answers or images. */
  readonly answers: number;
  /** The caller's cap for each answer; null: none. */
  readonly outputTokensMax: number | null;
}

/** Counts may be so many times what the catalogue or the caller allows. */
const TOLERANCE = 2;
/** If the catalogue has no context: a document has more tokens than compressed bytes, but not so many. */
export const TOKENS_PER_BYTE_MAX = 8;
const TOKENS_PER_ADDRESS_MAX = 2_000_000;
/** What providers add to a prompt, and the smallest answers. */
export const SPARE_TOKENS = 10_000;
/** If neither the catalogue nor the caller limits an answer. */
const ANSWER_TOKENS_MAX = 1_000_000;

export function isBelievable(
  usage: Usage,
  { contextTokens, outputTokensMax }: Pick<Model, 'contextTokens' | 'outputTokensMax'>,
  size: CallSize,
): boolean {
  const passes = passesOf(usage);
  const sent = size.bytes * TOKENS_PER_BYTE_MAX + size.addresses * TOKENS_PER_ADDRESS_MAX;
  const inputMax = contextTokens === null ? sent : contextTokens * TOLERANCE;
  const longest = outputTokensMax ?? contextTokens ?? ANSWER_TOKENS_MAX;
  const cap = size.outputTokensMax ?? longest;
  const perAnswer = size.answers * passes * TOLERANCE;
  return (
    usage.inputTokens <= inputMax * passes + SPARE_TOKENS &&
    // Some providers do not count reasoning into the cap.
    usage.outputTokens - usage.reasoningTokens <= cap * perAnswer + SPARE_TOKENS &&
    usage.outputTokens <= Math.max(longest, cap) * perAnswer + SPARE_TOKENS
  );
}

/** After each call of a tool that the provider runs, and each compaction, the prompt is read again. */
function passesOf({ details }: Usage): number {
  if (details === undefined) return 1;
  const tools = Object.values(details.tools ?? {}).reduce((sum, count) => sum + count, 0);
  const compactions = details.contextTokens === undefined ? 0 : 1;
  return 1 + Math.min(tools, TOOL_CALLS_MAX) + compactions;
}

/** More calls of tools are no reason to believe more. */
const TOOL_CALLS_MAX = 100;
