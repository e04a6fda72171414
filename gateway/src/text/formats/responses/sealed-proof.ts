/**
 * Proofs in `encrypted_content`. Proofs of this format's own dialect are unchanged; others are prefixed with
 * their dialect, so that they return to the provider that issued them and to no other.
 *
 * A tool call may have a proof too. This format has no field for it, so it is sent as an empty reasoning item
 * right before the call.
 */
import type { Proof } from '../../text-call.ts';

/** The dialect of providers that speak this format. */
export const OWN_DIALECT = 'openai-responses';

const MARKED = /^([a-z][a-z0-9-]*)(:call)?\.([\s\S]*)$/;
/** Providers check the id together with the encrypted content, so both are kept. */
const WITH_ID = /^(rs_\w+):([\s\S]*)$/;

export function sealProof(proof: Proof, of: 'reasoning' | 'call'): string {
  if (proof.dialect === OWN_DIALECT) return proof.value;
  return `${proof.dialect}${of === 'call' ? ':call' : ''}.${proof.value}`;
}

export function unsealProof(sealed: string, itemId: string): { proof: Proof; of: 'reasoning' | 'call' } {
  const [, dialect, call, value = ''] = MARKED.exec(sealed) ?? [];
  if (dialect !== undefined) {
    return { proof: { dialect, value }, of: call === undefined ? 'reasoning' : 'call' };
  }
  return {
    proof: WITH_ID.test(sealed) ? { dialect: OWN_DIALECT, value: sealed } : ownProof(itemId, sealed),
    of: 'reasoning',
  };
}

/** Whether a provider of this format can decrypt it. */
export function isOwnSealed(sealed: string): boolean {
  return !MARKED.test(sealed) && !WITH_ID.test(sealed);
}

export function ownProof(itemId: string, sealed: string): Proof {
  return { dialect: OWN_DIALECT, value: `${itemId}:${sealed}` };
}

/** Null for a proof of another dialect. */
export function readOwnProof(proof: Proof | null): { id: string; sealed: string } | null {
  if (proof?.dialect !== OWN_DIALECT) return null;
  const colon = proof.value.indexOf(':');
  return { id: proof.value.slice(0, Math.max(0, colon)), sealed: proof.value.slice(colon + 1) };
}
