/** Batch input rule 4: a chat line caps its output in the field that its model reads; the other field fails. Pure. */
export type CapField = 'max_tokens' | 'max_completion_tokens';

const OTHER: Readonly<Record<CapField, CapField>> = {
  max_tokens: 'max_completion_tokens',
  max_completion_tokens: 'max_tokens',
};

/** Null when the line has no cap, has it where the model reads it, or the catalogue does not say where that is. */
export function wrongOutputCap(
  model: { readonly outputCapField: CapField | null },
  body: object,
): { sent: CapField; wanted: CapField } | null {
  const { outputCapField: wanted } = model;
  if (wanted === null) return null;
  const sent = OTHER[wanted];
  return ((body as Record<string, unknown>)[sent] ?? null) === null ? null : { sent, wanted };
}
