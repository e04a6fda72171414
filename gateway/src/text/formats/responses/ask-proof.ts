/**
 * Whether to ask a provider for its reasoning in sealed form, which is the only form in which it can
 * be sent back: nothing is stored at providers. Models that do not reason refuse to be asked.
 */
export const SEALED_REASONING = 'reasoning.encrypted_content';

const REASONS = /^(?:o\d|gpt-[5-9]|codex|gpt-oss)/;
const DOES_NOT_REASON = /^(?:gpt-3|gpt-4|chatgpt|gpt-[\w.]+-chat)/;

/** A name we know decides; of any other model, whether the caller spoke of reasoning. */
export function asksProof(upstreamModel: string, speaksOfReasoning: boolean): boolean {
  const name = upstreamModel.replace(/^ft:/, '').replace(/^.*\//, '');
  if (DOES_NOT_REASON.test(name)) return false;
  return REASONS.test(name) || speaksOfReasoning;
}
