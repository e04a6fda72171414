/**
 * The brain: answers a prompt, purely. The same prompt and seed give the same answer, and the usage
 * follows from the two by the counting rules of tokens.ts.
 */
import { composeChoice, composeReasoning } from './compose.ts';
import { type ModelTraits, models, traitsOf } from './models.ts';
import type { Answer, Choice, Prompt, ToolCall } from './prompt.ts';
import {
  countCachedTokens,
  countCacheWriteTokens,
  countInputTokens,
  countTokens,
  countToolCall,
  cutToTokens,
  IMAGE_OUTPUT_TOKENS,
} from './tokens.ts';
import { hashText, rollDice } from './words.ts';

export class ContextExceeded extends Error {
  override readonly name = 'ContextExceeded';
  readonly tokensMax: number;
  readonly inputTokens: number;
  readonly outputTokensMax: number | null;

  constructor(sizes: { tokensMax: number; inputTokens: number; outputTokensMax: number | null }) {
    super(`${sizes.inputTokens} tokens do not fit into ${sizes.tokensMax}`);
    this.tokensMax = sizes.tokensMax;
    this.inputTokens = sizes.inputTokens;
    this.outputTokensMax = sizes.outputTokensMax;
  }
}

const EFFORT_FACTORS: ReadonlyMap<string, number> = new Map([
  ['none', 0],
  ['minimal', 0],
  ['low', 1],
  ['medium', 2],
  ['high', 4],
  ['xhigh', 8],
  ['max', 8],
]);

export function answerPrompt(prompt: Prompt): Answer {
  const traits = traitsOf(prompt.model) ?? (models['sim-chat'] as ModelTraits);
  const inputTokens = countInputTokens(prompt);
  checkContext(prompt, traits, inputTokens);
  const hash = hashPrompt(prompt);
  const reasoning = traits.reasons ? reasoningTokens(prompt, hash) : 0;
  const thought = prompt.thinksAloud ? cutToTokens(composeReasoning(prompt), reasoning) : '';
  const imageTokens = prompt.picture?.tokens ?? IMAGE_OUTPUT_TOKENS;
  const choices: Choice[] = [];
  let outputTokens = 0;
  for (let index = 0; index < prompt.answers; index++) {
    const full = composeChoice(prompt, traits, rollDice(hash + Math.imul(index, 0x9e3779b1)));
    const tokensLeft = (prompt.outputTokensMax ?? Number.POSITIVE_INFINITY) - reasoning;
    const choice = capOutput(stopBefore(full, prompt.stop), tokensLeft);
    choices.push(thought === '' ? choice : { ...choice, reasoning: thought });
    outputTokens += reasoning + countSpoken(choice) + choice.images.length * imageTokens;
  }
  const cachedTokens = countCachedTokens(prompt, inputTokens);
  const usage = {
    inputTokens,
    cachedTokens,
    cacheWriteTokens: countCacheWriteTokens(prompt, inputTokens - cachedTokens),
    outputTokens,
    reasoningTokens: reasoning * prompt.answers,
  };
  return { choices, usage };
}

export function hashPrompt(prompt: Prompt): number {
  let hash = hashText(String(prompt.seed));
  for (const turn of prompt.turns) hash = hashText(turn.text, hashText(turn.role, hash));
  return hash;
}

/**
 * The prompt with its output cap lowered to the room the context leaves: some providers refuse a cap
 * beyond it, others stop there.
 */
export function capToContext(prompt: Prompt): Prompt {
  const tokensMax = traitsOf(prompt.model)?.contextTokensMax ?? null;
  if (tokensMax === null) return prompt;
  const inputTokens = countInputTokens(prompt);
  const room = tokensMax - inputTokens;
  if (room < 0) throw new ContextExceeded({ tokensMax, inputTokens, outputTokensMax: null });
  return room < (prompt.outputTokensMax ?? Number.POSITIVE_INFINITY)
    ? { ...prompt, outputTokensMax: room }
    : prompt;
}

function checkContext(prompt: Prompt, traits: ModelTraits, inputTokens: number): void {
  const tokensMax = traits.contextTokensMax;
  if (tokensMax === null || inputTokens + (prompt.outputTokensMax ?? 0) <= tokensMax) return;
  throw new ContextExceeded({ tokensMax, inputTokens, outputTokensMax: prompt.outputTokensMax });
}

/** Thinking takes at most half of an output cap, so that a small cap still shows some text. */
function reasoningTokens(prompt: Prompt, hash: number): number {
  const tokens = (8 + (hash % 8)) * (EFFORT_FACTORS.get(prompt.effort ?? 'medium') ?? 2);
  const cap = prompt.outputTokensMax;
  return cap === null ? tokens : Math.min(tokens, Math.floor(cap / 2));
}

function stopBefore(choice: Choice, sequences: readonly string[]): Choice {
  let end = choice.text.length;
  let stoppedBy: string | null = null;
  for (const sequence of sequences) {
    const at = sequence === '' ? -1 : choice.text.indexOf(sequence);
    if (at < 0 || at >= end) continue;
    end = at;
    stoppedBy = sequence;
  }
  return stoppedBy === null
    ? choice
    : { ...choice, text: choice.text.slice(0, end), finish: 'stop', stoppedBy };
}

function capOutput(choice: Choice, tokensMax: number): Choice {
  if (countSpoken(choice) <= tokensMax) return choice;
  let left = tokensMax;
  const text = cutToTokens(choice.text, left);
  left -= countTokens(text);
  const refusal = choice.refusal === null ? null : cutToTokens(choice.refusal, left);
  const toolCalls: ToolCall[] = [];
  for (const call of choice.toolCalls) {
    if (left <= countTokens(call.name)) break;
    const kept = cutToTokens(call.name + call.arguments, left).slice(call.name.length);
    toolCalls.push({ ...call, arguments: kept });
    left -= countToolCall({ name: call.name, arguments: kept });
  }
  return { ...choice, text, refusal, toolCalls, finish: 'length', stoppedBy: null };
}

function countSpoken(choice: Choice): number {
  let count = countTokens(choice.text) + countTokens(choice.refusal ?? '');
  for (const call of choice.toolCalls) count += countToolCall(call);
  return count;
}
