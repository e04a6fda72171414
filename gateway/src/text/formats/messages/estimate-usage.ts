/**
 * Estimates the tokens of a prompt for the start of a stream, where clients expect a number before the
 * provider sends one.
 */
import type { MessagesRequest } from '../../../contract/messages.ts';
import type { Usage } from '../../../pricing/usage.ts';
import { readMessagesPromptTexts } from './read-features.ts';

const CHARACTERS_PER_TOKEN = 4;

export function estimateUsage(request: MessagesRequest): Usage {
  const characters = readMessagesPromptTexts(request).reduce((sum, { length }) => sum + length, 0);
  const inputTokens = Math.ceil(characters / CHARACTERS_PER_TOKEN);
  return { inputTokens, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 0, reasoningTokens: 0 };
}
