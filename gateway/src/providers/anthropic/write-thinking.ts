/** The output cap, and the part of it that reasoning may use. Pure. */
import { CannotCarry, type Reasoning, type TextCall } from '../../text/text-call.ts';
import type { TextTarget } from '../provider.ts';
import type { Message } from './write-messages.ts';

/** The protocol requires a cap. Default if neither the caller nor the catalogue sets one. */
export const OUTPUT_TOKENS_DEFAULT = 4_096;
/** The smallest budget that is accepted. */
const BUDGET_TOKENS_MIN = 1_024;

/** Effort levels as token budgets. */
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
  // Reasoning counts towards the cap, which is the caller's and does not change. A budget that leaves no room
  // for an answer is lowered. If the cap has no room for the smallest budget, thinking stays off: an answer
  // without reasoning is better than reasoning without an answer.
  const room = Math.max(Math.floor(cap / 2), cap - OUTPUT_TOKENS_DEFAULT);
  const fitting = Math.max(BUDGET_TOKENS_MIN, Math.min(budget, room));
  // A forced tool call cannot be combined with thinking.
  const forced = toolChoice === 'required' || (toolChoice !== null && typeof toolChoice === 'object');
  if (fitting >= cap || forced || lacksThoughts(messages)) return { max_tokens: cap };
  return { max_tokens: cap, thinking: { type: 'enabled', budget_tokens: fitting } };
}

/**
 * Within a tool loop Anthropic requires the earlier thinking blocks. Most formats cannot carry them, so
 * thinking is turned off for such a turn.
 */
function lacksThoughts(messages: readonly Message[]): boolean {
  const [asked, answered] = messages.slice(-2);
  const [first] = asked?.content ?? [];
  const atWork = asked?.role === 'assistant' && answered?.content[0]?.type === 'tool_result';
  return atWork && first?.type !== 'thinking' && first?.type !== 'redacted_thinking';
}

/** Null when the caller set no reasoning budget. */
function budgetOf({ effort, tokensMax }: Reasoning): number | null {
  if (tokensMax !== null) return tokensMax === 0 ? 0 : Math.max(BUDGET_TOKENS_MIN, tokensMax);
  if (effort === null) return null;
  const budget = Object.hasOwn(budgets, effort) ? budgets[effort] : undefined;
  if (budget === undefined) throw new CannotCarry('reasoning', `of ${JSON.stringify(effort.slice(0, 40))}`);
  return budget;
}
