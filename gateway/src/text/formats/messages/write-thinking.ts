/** Reasoning as blocks: signed, or redacted if only the proof is known. */
import { ANTHROPIC_REDACTED, ANTHROPIC_SIGNATURE, readProof, writeProof } from '../../proof.ts';
import type { Proof, ReasoningPart } from '../../text-call.ts';

export function writeThinking({ text, proof }: Omit<ReasoningPart, 'type'>): Record<string, string> {
  const sealed = proof !== null && text === '' && proof.dialect !== ANTHROPIC_SIGNATURE;
  if (sealed) return { type: 'redacted_thinking', data: writeProof(proof, ANTHROPIC_REDACTED) };
  return { type: 'thinking', thinking: text, signature: signatureOf(proof) };
}

export function signatureOf(proof: Proof | null): string {
  return proof === null ? '' : writeProof(proof, ANTHROPIC_SIGNATURE);
}

export function readSignature(signature: string): Proof | null {
  return readProof(signature, ANTHROPIC_SIGNATURE);
}

export function readSealed(data: string): Proof | null {
  return readProof(data, ANTHROPIC_REDACTED);
}

/**
 * Some dialects also require a proof for a tool call. A call has no field for it, so it is sent as a redacted
 * block before the call, marked as belonging to it. Clients send such blocks back unchanged.
 */
const CALL = 'call.';

export function writeCallProof(proof: Proof | null): Array<{ type: string; data: string }> {
  if (proof === null) return [];
  return [{ type: 'redacted_thinking', data: `${CALL}${proof.dialect}.${proof.value}` }];
}

/** Null when the data is not the proof of a tool call. */
export function readCallProof(data: string): Proof | null {
  return data.startsWith(CALL) ? readProof(data.slice(CALL.length), ANTHROPIC_REDACTED) : null;
}
