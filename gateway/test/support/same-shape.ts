/** Compares two JSON values by shape: the same fields with the same types of values, not the same values. */

export interface ShapeOptions {
  /** Whether the second value may have fields that the first lacks. */
  readonly partial: boolean;
}

/** Where the values differ; empty if they have the same shape. */
export function shapeDifferences(
  shown: unknown,
  actual: unknown,
  options: ShapeOptions,
  path = 'answer',
): string[] {
  const [a, b] = [typeOf(shown), typeOf(actual)];
  if (a !== b) return [`${path} is ${a} in the example, ${b} in fact`];
  if (Array.isArray(shown)) return listDifferences(shown, actual as unknown[], options, path);
  if (typeof shown !== 'object' || shown === null) return [];
  return fieldDifferences(shown as Fields, actual as Fields, options, path);
}

type Fields = Readonly<Record<string, unknown>>;

/** Each item of the example must occur; a list may have more items, of other shapes. */
function listDifferences(
  shown: readonly unknown[],
  actual: readonly unknown[],
  options: ShapeOptions,
  path: string,
): string[] {
  if (shown.length === 0 && actual.length > 0) return [`${path} is empty in the example, but not in fact`];
  return shown.flatMap((item, i) => {
    const tries = actual.map((other) => shapeDifferences(item, other, options, `${path}[${i}]`));
    if (tries.some((differences) => differences.length === 0)) return [];
    return tries.toSorted((a, b) => a.length - b.length)[0] ?? [`${path} is empty in fact`];
  });
}

function fieldDifferences(shown: Fields, actual: Fields, options: ShapeOptions, path: string): string[] {
  const missing = Object.keys(shown).filter((name) => !(name in actual));
  const extra = Object.keys(actual).filter((name) => !(name in shown) && !options.partial);
  return [
    ...missing.map((name) => `${path}.${name} is only in the example`),
    ...extra.map((name) => `${path}.${name} is not in the example`),
    ...Object.entries(shown)
      .filter(([name]) => name in actual)
      .flatMap(([name, value]) => shapeDifferences(value, actual[name], options, `${path}.${name}`)),
  ];
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
