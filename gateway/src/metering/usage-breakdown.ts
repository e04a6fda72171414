/** The usage of a month by one thing at a time, with the sum of it; the rows add up to the last digit. */
import type { Queryable } from '../database/database.ts';
import { type Month, printMonthEnd, printMonthStart } from '../kernel/time.ts';
import { printUnits, sumUnits, type Units } from '../kernel/units.ts';
import { type MonthTotal, readDayTotals, readMonthTotals } from './usage-report.store.ts';
import { dearestFirst, groupBy } from './usage-report.ts';

export const usageDimensions = ['model', 'key', 'member', 'day'] as const;
export type UsageDimension = (typeof usageDimensions)[number];

export interface UsageRow {
  readonly name: string;
  readonly requests: number;
  readonly unpriced: number;
  /** A decimal string. */
  readonly cost: string;
}

export interface UsageBreakdown {
  readonly month: Month;
  readonly period_start: string;
  readonly period_end: string;
  readonly by: UsageDimension;
  readonly rows: readonly UsageRow[];
  readonly total: Omit<UsageRow, 'name'>;
}

type Counted = Pick<MonthTotal, 'requests' | 'unpriced' | 'cost'>;

export async function usageBreakdown(
  db: Queryable,
  of: { spaceId: string; month: Month; by: UsageDimension },
): Promise<UsageBreakdown> {
  const { month, by } = of;
  const named = by === 'day' ? await readDays(db, of) : await readGroups(db, { ...of, by });
  return {
    month,
    period_start: printMonthStart(month),
    period_end: printMonthEnd(month),
    by,
    rows: named.map(([name, counted]) => ({ name, ...shown(counted) })),
    total: shown(named.flatMap(([, counted]) => counted)),
  };
}

type Named = Array<[string, readonly Counted[]]>;

async function readDays(db: Queryable, of: { spaceId: string; month: Month }): Promise<Named> {
  return (await readDayTotals(db, of.spaceId, of.month)).map((day) => [day.day, [day]]);
}

async function readGroups(
  db: Queryable,
  { spaceId, month, by }: { spaceId: string; month: Month; by: Exclude<UsageDimension, 'day'> },
): Promise<Named> {
  const totals = await readMonthTotals(db, spaceId, month);
  // A key is told by its id: a name may have been used again after it was revoked.
  const groups = groupBy(totals, (total) => keyOf(total, by));
  return dearestFirst(groups).map(([, rows]) => [nameOf(rows[0] as MonthTotal, by), rows]);
}

function keyOf(total: MonthTotal, dimension: 'model' | 'key' | 'member'): string {
  if (dimension === 'key') return total.keyId;
  return dimension === 'model' ? total.model : (total.member ?? '');
}

function nameOf(total: MonthTotal, dimension: 'model' | 'key' | 'member'): string {
  if (dimension === 'key') return total.keyName;
  return dimension === 'model' ? total.model : (total.member ?? '(shared keys)');
}

function shown(counted: readonly Counted[]): Omit<UsageRow, 'name'> {
  const sum = (field: 'requests' | 'unpriced'): number => counted.reduce((all, row) => all + row[field], 0);
  const cost: Units = sumUnits(counted.map((row) => row.cost));
  return { requests: sum('requests'), unpriced: sum('unpriced'), cost: printUnits(cost) };
}
