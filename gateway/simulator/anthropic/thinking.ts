/**
 * Thinking goes out with a signature, or sealed, and is known again when it comes back. The key never
 * changes, so that what one simulator signed another accepts.
 */
import { createHmac } from 'node:crypto';

const KEY = 'the thinking of the simulator';
/** What Anthropic's begin with. */
const SIGNATURE_PREFIX = 'EqoB';
const SEAL_PREFIX = 'EmwK';
const MARK_LENGTH = 44;

export function signThinking(thinking: string): string {
  return SIGNATURE_PREFIX + markOf(`signed ${thinking}`);
}

export function isSigned(thinking: string, signature: string): boolean {
  return signature === signThinking(thinking);
}

/** The data of a `redacted_thinking` block. */
export function sealThinking(thinking: string): string {
  return SEAL_PREFIX + markOf(`sealed ${thinking}`) + Buffer.from(thinking).toString('base64');
}

export function isSealed(data: string): boolean {
  const text = data.slice(SEAL_PREFIX.length + MARK_LENGTH);
  return data === sealThinking(Buffer.from(text, 'base64').toString('utf8'));
}

function markOf(text: string): string {
  return createHmac('sha256', KEY).update(text).digest('base64');
}
