/** What a change made of the fields of its subject. Pure. */
export type RecordedFacts = Readonly<Record<string, unknown>> | null;

export interface ComparedField {
  readonly field: string;
  readonly kind: 'change' | 'added' | 'removed' | 'same';
  /** Undefined: the field was not recorded. */
  readonly before: unknown;
  readonly after: unknown;
}

/** Changed fields first, each group in the order of the record. */
export function compareFacts(before: RecordedFacts, after: RecordedFacts): ComparedField[] {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const compared = fields.map((field) => {
    const [from, to] = [before?.[field], after?.[field]];
    return { field, kind: kindOf(from, to), before: from, after: to };
  });
  return compared.toSorted((a, b) => Number(a.kind === 'same') - Number(b.kind === 'same'));
}

function kindOf(before: unknown, after: unknown): ComparedField['kind'] {
  if (before === undefined) return 'added';
  if (after === undefined) return 'removed';
  return JSON.stringify(before) === JSON.stringify(after) ? 'same' : 'change';
}

/** A value as people read it; null is written by the caller. */
export function printFact(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ');
  return JSON.stringify(value);
}
