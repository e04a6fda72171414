/** What one body has that another has not, by its path. Pure. */
import { isDeepStrictEqual } from 'node:util';

export type Difference = Readonly<Record<string, unknown>>;

/** The value of a path that is in the first body alone. */
export const GONE = '(gone)';

/** Of what is new only the root, or the one field that it has: `generationConfig.seed`. */
export function differenceOf(before: unknown, after: unknown): Difference {
  const found: Record<string, unknown> = {};
  compare(before, after, '', found);
  return found;
}

type Found = Record<string, unknown>;

function compare(before: unknown, after: unknown, path: string, found: Found): void {
  if (isDeepStrictEqual(before, after)) return;
  if (Array.isArray(before) && Array.isArray(after)) {
    compareLists(before, after, path, found);
  } else if (isObject(before) && isObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
      compare(before[key], after[key], path === '' ? key : `${path}.${key}`, found);
  } else if (before === undefined && isObject(after) && Object.keys(after).length === 1) {
    const [[key, value]] = Object.entries(after) as [[string, unknown]];
    compare(undefined, value, path === '' ? key : `${path}.${key}`, found);
  } else {
    found[path] = after === undefined ? GONE : after;
  }
}

/** Items that stand between others are new, and do not change those behind them. */
function compareLists(before: unknown[], after: unknown[], path: string, found: Found): void {
  const first = sameAtStart(before, after);
  const last = sameAtStart(before.toReversed(), after.toReversed());
  const most = Math.max(before.length, after.length);
  if (before.length !== after.length && first + last >= Math.min(before.length, after.length)) {
    const behind = Math.min(last, Math.min(before.length, after.length) - first);
    const longer = after.length > before.length ? after : before.map(() => GONE);
    for (let i = first; i < most - behind; i++) found[`${path}[${i}]`] = longer[i];
  } else {
    for (let i = 0; i < most; i++) compare(before[i], after[i], `${path}[${i}]`, found);
  }
}

function sameAtStart(one: unknown[], other: unknown[]): number {
  const different = one.findIndex((item, i) => i >= other.length || !isDeepStrictEqual(item, other[i]));
  return different < 0 ? one.length : different;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
