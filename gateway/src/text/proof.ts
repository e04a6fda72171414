/**
 * Proofs of reasoning in formats that have one field for them. A proof of another dialect than the format's
 * own is prefixed with its dialect: `google.…`. The provider that issued it gets it back unchanged.
 */
import type { Proof } from './text-call.ts';

/** A signature of readable reasoning, and encrypted reasoning. They are not interchangeable. */
export const ANTHROPIC_SIGNATURE = 'anthropic';
export const ANTHROPIC_REDACTED = 'anthropic-sealed';

/** Proofs are base64, which has no dot. */
const PREFIXED = /^([a-z][a-z0-9-]*)\./;

export function writeProof(proof: Proof, ownDialect: string): string {
  const { dialect, value } = proof;
  return dialect === ownDialect && !PREFIXED.test(value) ? value : `${dialect}.${value}`;
}

/** Null for an empty string: there is no proof. */
export function readProof(text: string, ownDialect: string): Proof | null {
  if (text === '') return null;
  const [prefix, dialect] = PREFIXED.exec(text) ?? ['', ownDialect];
  return { dialect: dialect as string, value: text.slice(prefix.length) };
}
