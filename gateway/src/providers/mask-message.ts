/**
 * Takes out of a provider's words what must not reach a caller: keys, account ids, addresses and the
 * name of the provider itself. Pure.
 */
import type { Secret } from '../kernel/secret.ts';

const MESSAGE_CHARACTERS_MAX = 1_000;

const masks: ReadonlyArray<[RegExp, string]> = [
  [/\bhttps?:\/\/\S+/gi, '[address]'],
  [/\b(?:[a-z0-9-]+\.)+(?:com|ai|net|io|dev|org|googleapis\.com)\b\S*/gi, '[address]'],
  [/\bBearer\s+\S+/gi, '[secret]'],
  [/\b(?:sk|pk|mk|rk|key|xai|gsk|AIza)[-_][A-Za-z0-9_*-]{6,}/g, '[secret]'],
  [/\bAIza[A-Za-z0-9_-]{20,}/g, '[secret]'],
  [/\b(?:org|proj|user|acct|req|resp)[-_][A-Za-z0-9]{6,}/g, '[id]'],
  [/\b(?:file[-_]|files\/)[A-Za-z0-9-]{12,}/g, '[id]'],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '[id]'],
  [/\b[A-Za-z0-9_-]{40,}\b/g, '[secret]'],
  [
    /\b(?:OpenAI|Anthropic|Claude|Google|Gemini|Vertex|Azure|Bedrock|Amazon|Mistral|Groq|DeepSeek|OpenRouter)(?:'s)?\b/gi,
    'the provider',
  ],
];

/** `secret` is the key we sent: some providers repeat it in their complaint. */
export function maskMessage(message: string, secret: Secret): string {
  let text = message.slice(0, MESSAGE_CHARACTERS_MAX);
  if (!secret.empty) text = text.replaceAll(secret.reveal(), '[secret]');
  for (const [pattern, replacement] of masks) text = text.replace(pattern, replacement);
  return text;
}
