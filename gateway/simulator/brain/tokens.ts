/** The simulator's own tokens: four bytes of UTF-8 each, so that a test can foretell every usage. */
import type { Prompt, ToolCall, Usage } from './prompt.ts';

export const IMAGE_INPUT_TOKENS = 85;
export const IMAGE_OUTPUT_TOKENS = 256;
const BYTES_PER_TOKEN = 4;
const CACHE_WRITE = /\[\[cache-write (\d{1,9})\]\]/;
const CACHED = /^\[\[cached (\d{1,9})\]\]/;

/** One token per four bytes of UTF-8, rounded up; nothing for no text. */
export function countTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/**
 * The texts of all turns, each counted alone, then each tool call in the history, each image and
 * each tool on offer.
 */
export function countInputTokens(prompt: Prompt): number {
  let count = 0;
  for (const turn of prompt.turns) {
    count += countTokens(turn.text) + turn.images.length * IMAGE_INPUT_TOKENS;
    for (const call of turn.toolCalls) count += countToolCall(call);
  }
  for (const tool of prompt.tools) {
    count += countTokens(`${tool.name}${tool.description}${JSON.stringify(tool.schema) ?? ''}`);
  }
  return count;
}

export function countToolCall(call: ToolCall): number {
  return countTokens(call.name + call.arguments);
}

/** A system turn that begins with `[[cached N]]` has N tokens in the cache, never more than there are. */
export function countCachedTokens(prompt: Prompt, inputTokens: number): number {
  return countInSystem(prompt, CACHED, inputTokens);
}

/** `[[cache-write N]]` anywhere in the system turn writes N tokens to the cache, of those not in it. */
export function countCacheWriteTokens(prompt: Prompt, tokensMax: number): number {
  return countInSystem(prompt, CACHE_WRITE, tokensMax);
}

function countInSystem(prompt: Prompt, cue: RegExp, tokensMax: number): number {
  const system = prompt.turns.find((turn) => turn.role === 'system');
  const found = system === undefined ? null : cue.exec(system.text);
  return found === null ? 0 : Math.min(Number(found[1]), tokensMax);
}

/** The longest beginning of a text that costs no more than so many tokens. */
export function cutToTokens(text: string, tokensMax: number): string {
  if (countTokens(text) <= tokensMax) return text;
  const bytes = Buffer.from(text);
  let end = Math.max(0, tokensMax) * BYTES_PER_TOKEN;
  // Never inside a character: a continuation byte begins with the bits 10.
  while (end > 0 && ((bytes[end] as number) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}

export function totalTokens(usage: Usage): number {
  return usage.inputTokens + usage.outputTokens;
}

/**
 * The rest of a count without a part of it, for protocols that tell the two apart. A part beyond the
 * whole is a fault being played, and then the whole is told as it is.
 */
export function withoutPart(whole: number, part: number): number {
  return part >= 0 && part <= whole ? whole - part : whole;
}
