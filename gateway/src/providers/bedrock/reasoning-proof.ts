/** How Bedrock proves that reasoning is its own: a signature, or the encrypted reasoning itself. Pure. */
import { textOf } from '../../json/read-json.ts';
import type { Proof } from '../../text/text-call.ts';

/** Marks a proof value that is encrypted reasoning and not a signature. */
export const REDACTED_PREFIX = 'sealed:';

export function readBedrockProof(signature: unknown, redactedContent: unknown): Proof | null {
  if (textOf(redactedContent) !== '')
    return { dialect: 'bedrock', value: REDACTED_PREFIX + textOf(redactedContent) };
  return textOf(signature) === '' ? null : { dialect: 'bedrock', value: textOf(signature) };
}
