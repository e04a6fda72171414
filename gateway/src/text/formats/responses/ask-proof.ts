/**
 * Whether to ask a provider for encrypted reasoning. Nothing is stored at providers, so only encrypted
 * reasoning can be sent back. Models without reasoning reject the request for it.
 */
export const SEALED_REASONING = 'reasoning.encrypted_content';

/** What is known about the model decides; for any other model, whether the caller set reasoning options. */
export function asksProof(thinks: boolean | null, speaksOfReasoning: boolean): boolean {
  return thinks ?? speaksOfReasoning;
}
