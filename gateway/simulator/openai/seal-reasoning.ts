/**
 * Reasoning that travels with the caller and is known again when it comes back: signed, so that
 * nothing else passes for it. The key never changes, so that one simulator knows what another made.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

const KEY = 'the reasoning of the simulator';
/** What OpenAI's begin with. */
const PREFIX = 'gAAAAA';
const MARK_BYTES = 32;

export function sealReasoning(thought: string): string {
  const text = Buffer.from(thought);
  return PREFIX + Buffer.concat([markOf(text), text]).toString('base64url');
}

/** True of what sealReasoning made, and of nothing else. */
export function isSealed(sealed: string): boolean {
  if (!sealed.startsWith(PREFIX)) return false;
  const bytes = Buffer.from(sealed.slice(PREFIX.length), 'base64url');
  // A lenient decoder passes over what is not base64: only the very same text is genuine.
  if (bytes.length < MARK_BYTES || PREFIX + bytes.toString('base64url') !== sealed) return false;
  return timingSafeEqual(bytes.subarray(0, MARK_BYTES), markOf(bytes.subarray(MARK_BYTES)));
}

function markOf(text: Buffer): Buffer {
  return createHmac('sha256', KEY).update(text).digest();
}
