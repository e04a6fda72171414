/** The tier that a request asks for. Pure. */

const STANDARD: readonly unknown[] = ['auto', 'default', '', null, undefined];

/** Null for the standard tier: OpenAI's names for it need no field. */
export function askedTier(given: unknown): string | null {
  return STANDARD.includes(given) ? null : String(given);
}
