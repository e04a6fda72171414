/** What refers to a kept response in a request of `/v1/responses`. Calls are continued; a line of a batch is complete in itself. */

/** The path of the field in the body, or null. */
export function findKeptReference({
  previous_response_id: previous,
  input,
}: Readonly<Record<string, unknown>>): string | null {
  if (previous !== undefined && previous !== null) return 'previous_response_id';
  if (!Array.isArray(input)) return null;
  const at = input.findIndex(isItemReference);
  return at < 0 ? null : `input[${at}]`;
}

/** The type is optional: an item with only an id is a reference. */
export function isItemReference(item: unknown): boolean {
  if (typeof item !== 'object' || item === null) return false;
  const { type, role } = item as { type?: unknown; role?: unknown };
  return type === 'item_reference' || (type === undefined && role === undefined && 'id' in item);
}
