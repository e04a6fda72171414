/** Thoughts as blocks: with a signature under them, or sealed where only the proof is known. */
import { readProof, SEALED, SIGNED, writeProof } from '../../proof.ts';
import type { Proof, ReasoningPart } from '../../text-call.ts';

export function writeThinking({ text, proof }: Omit<ReasoningPart, 'type'>): Record<string, string> {
  const sealed = proof !== null && text === '' && proof.dialect !== SIGNED;
  if (sealed) return { type: 'redacted_thinking', data: writeProof(proof, SEALED) };
  return { type: 'thinking', thinking: text, signature: signatureOf(proof) };
}

export function signatureOf(proof: Proof | null): string {
  return proof === null ? '' : writeProof(proof, SIGNED);
}

export function readSignature(signature: string): Proof | null {
  return readProof(signature, SIGNED);
}

export function readSealed(data: string): Proof | null {
  return readProof(data, SEALED);
}

/**
 * Some dialects want a proof for a call too. A call has no field for one, so it comes sealed before
 * the call, marked as the call's own. Clients send such blocks back as they are.
 */
const CALL = 'call.';

export function writeCallProof(proof: Proof | null): Array<{ type: string; data: string }> {
  if (proof === null) return [];
  return [{ type: 'redacted_thinking', data: `${CALL}${proof.dialect}.${proof.value}` }];
}

/** Null when the data is not the proof of a call. */
export function readCallProof(data: string): Proof | null {
  return data.startsWith(CALL) ? readProof(data.slice(CALL.length), SEALED) : null;
}
