/** What the readers of all protocols need to look into a body that may be anything. */
export type Json = Readonly<Record<string, unknown>>;

export function record(value: unknown): Json | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null;
}
