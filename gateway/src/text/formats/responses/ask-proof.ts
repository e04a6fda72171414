/**
 * Whether to ask a provider for encrypted reasoning. Nothing is stored at providers, so only encrypted
 * reasoning can be sent back. Models without reasoning reject the request for it.
 */
export const SEALED_REASONING = 'reasoning.encrypted_content';

const REASONS = /^(?:o\d|gpt-[5-9]|codex|gpt-oss)/;
const DOES_NOT_REASON = /^(?:gpt-3|gpt-4|chatgpt|gpt-[\w.]+-chat)/;

/** A known model name decides; for any other model, whether the caller set reasoning options. */
export function asksProof(upstreamModel: string, speaksOfReasoning: boolean): boolean {
  const name = upstreamModel.replace(/^ft:/, '').replace(/^.*\//, '');
  if (DOES_NOT_REASON.test(name)) return false;
  return REASONS.test(name) || speaksOfReasoning;
}
