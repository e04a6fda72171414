/**
 * Proofs of thoughts travel through formats that have one field for them. Where the proof is not of
 * the dialect that the format is at home with, the name of its own stands before it: `google.…`.
 * Those who made it get it back as they gave it.
 */
import type { Proof } from './text-call.ts';

/** A signature under thoughts, and thoughts that were sealed: one cannot stand for the other. */
export const ANTHROPIC_SIGNATURE = 'anthropic';
export const ANTHROPIC_REDACTED = 'anthropic-sealed';

/** Base64, which proofs are made of, has no dot. */
const PREFIXED = /^([a-z][a-z0-9-]*)\./;

export function writeProof(proof: Proof, ownDialect: string): string {
  const { dialect, value } = proof;
  return dialect === ownDialect && !PREFIXED.test(value) ? value : `${dialect}.${value}`;
}

/** Null for an empty text: there was no proof. */
export function readProof(text: string, ownDialect: string): Proof | null {
  if (text === '') return null;
  const [prefix, dialect] = PREFIXED.exec(text) ?? ['', ownDialect];
  return { dialect: dialect as string, value: text.slice(prefix.length) };
}
