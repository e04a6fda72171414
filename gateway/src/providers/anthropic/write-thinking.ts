/** How much Anthropic's models may write, and how much of that may be thoughts. Pure. */
import { CannotCarry, type Reasoning, type TextCall } from '../../text/text-call.ts';
import type { TextTarget } from '../provider.ts';
import type { Message } from './write-messages.ts';

/** The protocol wants a cap; this is it where neither the caller nor the catalogue has one. */
export const OUTPUT_TOKENS_DEFAULT = 4_096;
/** Less is refused. */
const BUDGET_TOKENS_MIN = 1_024;

/** Effort in words as a budget in tokens. */
const budgets: Readonly<Record<string, number>> = {
  none: 0,
  minimal: 0,
  low: BUDGET_TOKENS_MIN,
  medium: 4_096,
  high: 16_384,
  xhigh: 32_768,
  max: 32_768,
};

export function capAndThinking(
  { outputTokensMax, reasoning, toolChoice }: TextCall,
  target: Pick<TextTarget, 'outputTokensMax'>,
  messages: readonly Message[],
): { max_tokens: number; thinking?: object } {
  const budget = reasoning === null ? null : budgetOf(reasoning);
  const cap = outputTokensMax ?? target.outputTokensMax ?? OUTPUT_TOKENS_DEFAULT + (budget ?? 0);
  if (budget === null) return { max_tokens: cap };
  if (budget === 0) return { max_tokens: cap, thinking: { type: 'disabled' } };
  // Thoughts count towards the cap, which is the caller's and stays as it is. A budget that leaves no
  // room for an answer is lowered; a cap with no room for the smallest one leaves thinking off: effort
  // is a wish, and an answer without thoughts is better than thoughts without an answer.
  const room = Math.max(Math.floor(cap / 2), cap - OUTPUT_TOKENS_DEFAULT);
  const fitting = Math.max(BUDGET_TOKENS_MIN, Math.min(budget, room));
  // Nor does it think before a tool that it must call.
  const forced = toolChoice === 'required' || (toolChoice !== null && typeof toolChoice === 'object');
  if (fitting >= cap || forced || lacksThoughts(messages)) return { max_tokens: cap };
  return { max_tokens: cap, thinking: { type: 'enabled', budget_tokens: fitting } };
}

/**
 * While tools are at work the thoughts that led to their calls must come back. Most formats cannot
 * bring them, and the provider refuses to think on without: so it answers without thinking.
 */
function lacksThoughts(messages: readonly Message[]): boolean {
  const [asked, answered] = messages.slice(-2);
  const [first] = asked?.content ?? [];
  const atWork = asked?.role === 'assistant' && answered?.content[0]?.type === 'tool_result';
  return atWork && first?.type !== 'thinking' && first?.type !== 'redacted_thinking';
}

/** Null when nothing was said about how much to think. */
function budgetOf({ effort, tokensMax }: Reasoning): number | null {
  if (tokensMax !== null) return tokensMax === 0 ? 0 : Math.max(BUDGET_TOKENS_MIN, tokensMax);
  if (effort === null) return null;
  const budget = Object.hasOwn(budgets, effort) ? budgets[effort] : undefined;
  if (budget === undefined) throw new CannotCarry('reasoning', `of ${JSON.stringify(effort.slice(0, 40))}`);
  return budget;
}
