/** Signatures of thoughts, known again when they come back. */
import { createHmac } from 'node:crypto';

const KEY = 'the thoughts of the simulator';
const MARK_BYTES = 32;
/** Google takes these for histories that it did not write. */
const WAIVERS = ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go'];

export function signThought(thought: string): string {
  const text = Buffer.from(thought);
  return Buffer.concat([markOf(text), text]).toString('base64');
}

export function isSignature(given: unknown): boolean {
  if (typeof given !== 'string') return false;
  if (WAIVERS.includes(given)) return true;
  const bytes = Buffer.from(given, 'base64');
  if (bytes.length < MARK_BYTES) return false;
  return markOf(bytes.subarray(MARK_BYTES)).equals(bytes.subarray(0, MARK_BYTES));
}

function markOf(text: Buffer): Buffer {
  return createHmac('sha256', KEY).update(text).digest();
}
