/** The usage of a month by tags, end users and sessions, and by two dimensions at once. The rows add up to the total exactly. */
import type { UsageKind } from '../contract/administration/usage-dimensions.ts';
import { usageDimensions } from '../contract/administration/words.ts';
import type { Queryable } from '../database/database.ts';
import { Problem } from '../kernel/problem.ts';
import type { Month } from '../kernel/time.ts';
import { compareUnits } from '../kernel/units.ts';
import { type PlainDimension, readUsageCells, type UsageCell } from './attributed-usage.store.ts';
import type { Counted, UsageScope } from './usage-report.store.ts';

/** A row of one or two dimensions. */
export interface UsagePair extends Counted {
  readonly name: string;
  readonly kind: UsageKind;
  /** Null: there is one dimension. */
  readonly and: { readonly name: string; readonly kind: UsageKind } | null;
  readonly keyId: string | null;
}

export function isPlain(dimension: string): dimension is PlainDimension {
  return (usageDimensions as readonly string[]).includes(dimension);
}

export async function usagePairs(
  db: Queryable,
  scope: UsageScope,
  { month, by, and }: { month: Month; by: string; and: string | null },
): Promise<UsagePair[]> {
  const dimensions = and === null ? [by] : [by, and];
  checkPair(by, and);
  const asked = {
    scope,
    month,
    attributed: dimensions.filter((one) => !isPlain(one)),
    plain: dimensions.filter(isPlain),
  };
  const cells = await readUsageCells(db, asked);
  const rows = cells.map((cell) => rowOf(cell, dimensions));
  return rows.toSorted((a, b) => inOrder(a, b, by));
}

/** Totals of days are kept by model, and those of months by key. */
function checkPair(by: string, and: string | null): void {
  if (by === and)
    throw new Problem('invalid_parameter', {
      detail: `by and and are both ${by}. Leave and out, or choose another one.`,
      param: 'and',
    });
  const asked = [by, and];
  if (asked.includes('day') && (asked.includes('key') || asked.includes('member')))
    throw new Problem('invalid_parameter', {
      detail: 'Usage by day cannot be combined with key or member. Choose model, end_user, session or a tag.',
      param: 'and',
    });
}

function rowOf(cell: UsageCell, dimensions: readonly string[]): UsagePair {
  const { keyId, requests, unpriced, cost } = cell;
  const [attributed, plain] = [[...cell.attributed], [...cell.plain]];
  const values = dimensions.map((dimension) => {
    if (isPlain(dimension)) return { kind: 'value' as const, name: plain.shift() ?? '' };
    const { kind = 'untagged', name = null } = attributed.shift() ?? {};
    return { kind, name: name ?? kind };
  });
  const [{ name, kind } = { name: '', kind: 'untagged' as const }, and = null] = values;
  return { name, kind, and, keyId, requests, unpriced, cost };
}

/** Days in their order; else the highest cost first, then by name. */
function inOrder(a: UsagePair, b: UsagePair, by: string): number {
  if (by === 'day' && a.name !== b.name) return a.name < b.name ? -1 : 1;
  const names = (row: UsagePair): string => `${row.name}\n${row.and?.name}\n${row.keyId}`;
  return compareUnits(b.cost, a.cost) || (names(a) < names(b) ? -1 : 1);
}
