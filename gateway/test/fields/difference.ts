/** What one body has that another has not, by its path. Pure. */
export type Difference = Readonly<Record<string, unknown>>;

/** The value of a path that is in the first body alone. */
export const GONE = '(gone)';

/** Of what is new only the root: `{"thinking": {…}}`, not each field in it. */
export function differenceOf(before: unknown, after: unknown): Difference {
  const found: Record<string, unknown> = {};
  compare(before, after, '', found);
  return found;
}

function compare(before: unknown, after: unknown, path: string, found: Record<string, unknown>): void {
  if (isBranch(before) && isBranch(after) && Array.isArray(before) === Array.isArray(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const place = Array.isArray(after) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
      compare(before[key], after[key], place, found);
    }
  } else if (JSON.stringify(before) !== JSON.stringify(after)) {
    found[path] = after === undefined ? GONE : after;
  }
}

function isBranch(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
