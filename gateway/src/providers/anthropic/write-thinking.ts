/** The output cap, and how much of it the model may think. Pure. */
import { isOff, thinksWith } from '../../catalog/fit-reasoning.ts';
import type { ModelTraits } from '../../catalog/model-traits.ts';
import type { Reasoning, TextCall } from '../../text/text-call.ts';
import type { TextTarget } from '../provider.ts';

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

/** What of a turn decides whether the model can think on. */
export interface WrittenTurn {
  readonly role: string;
  readonly content: ReadonlyArray<{ readonly type: string }>;
}

type Asked = Pick<TextCall, 'outputTokensMax' | 'reasoning'>;
type Target = Pick<TextTarget, 'outputTokensMax' | 'takes'>;

/** Of a model that decides itself how much it thinks. */
const THOUGHT_TOKENS_DEFAULT = 16_384;

/** Thinking comes on top of a default. */
export function outputCap(
  { outputTokensMax, reasoning }: Asked,
  { outputTokensMax: most, takes }: Target,
): number {
  return outputTokensMax ?? most ?? OUTPUT_TOKENS_DEFAULT + thoughtTokens(reasoning, takes);
}

function thoughtTokens(reasoning: Reasoning | null, takes: ModelTraits): number {
  if (!thinksWith(reasoning, takes)) return 0;
  return takes.thinking === 'adaptive' || reasoning === null ? THOUGHT_TOKENS_DEFAULT : budgetOf(reasoning);
}

export interface WrittenThinking {
  readonly thinking?: object;
  /** Stands in another field of the request. */
  readonly effort?: string;
}

export function writeThinkingForm(
  call: Asked,
  target: Target,
  messages: readonly WrittenTurn[],
): WrittenThinking {
  const { reasoning } = call;
  const { takes } = target;
  if (reasoning === null) return {};
  if (isOff(reasoning))
    return { thinking: { type: takes.thinkingOff === 'yes' ? 'disabled' : 'between_tools' } };
  if (takes.thinking !== 'adaptive') return writeBudget(reasoning, outputCap(call, target), messages);
  const thinking = { type: 'adaptive', display: reasoning.shown ? 'summarized' : 'omitted' };
  return { thinking, ...(reasoning.effort !== null && { effort: reasoning.effort }) };
}

/**
 * Reasoning counts towards the cap, which is the caller's and does not change. A budget that leaves no room for an answer
 * is lowered. If the cap has no room for the smallest budget, thinking stays off: an answer without reasoning is better
 * than reasoning without an answer.
 */
function writeBudget(reasoning: Reasoning, cap: number, messages: readonly WrittenTurn[]): WrittenThinking {
  const budget = budgetOf(reasoning);
  if (budget === 0) return { thinking: { type: 'disabled' } };
  const room = Math.max(Math.floor(cap / 2), cap - OUTPUT_TOKENS_DEFAULT);
  const fitting = Math.max(BUDGET_TOKENS_MIN, Math.min(budget, room));
  if (fitting >= cap || lacksThoughts(messages)) return {};
  return { thinking: { type: 'enabled', budget_tokens: fitting } };
}

/**
 * Within a tool loop, and in an answer that the model is to continue, Anthropic requires the earlier thinking blocks.
 * Most formats cannot carry them, so thinking is turned off for such a turn.
 */
function lacksThoughts(messages: readonly WrittenTurn[]): boolean {
  const [before, last] = messages.slice(-2);
  const answer =
    last?.role === 'assistant' ? last : last?.content[0]?.type === 'tool_result' ? before : undefined;
  const [first] = answer?.content ?? [];
  return first !== undefined && first.type !== 'thinking' && first.type !== 'redacted_thinking';
}

function budgetOf({ effort, tokensMax }: Reasoning): number {
  if (tokensMax !== null) return tokensMax;
  return (effort === null ? undefined : budgets[effort]) ?? 0;
}
