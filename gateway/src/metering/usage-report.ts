/** The usage of a month as it is published. Every sum is made of the same rows, to the last digit. */
import type { UsageRecord } from '../contract/platform.ts';
import { type Month, printMonthEnd, printMonthStart } from '../kernel/time.ts';
import { compareUnits, printUnits, sumUnits, type Units } from '../kernel/units.ts';
import type { MonthTotal } from './usage-report.store.ts';

export function usageReport(month: Month, totals: readonly MonthTotal[]): UsageRecord {
  const byModel = groupBy(totals, ({ model }) => model);
  const byKey = groupBy(totals, ({ keyId }) => keyId);
  return {
    periodStart: printMonthStart(month),
    periodEnd: printMonthEnd(month),
    totalCostUsage: printUnits(costOf(totals)),
    totalRequestCount: requestsOf(totals),
    activeVirtualKeyCount: [...byKey.values()].filter((rows) => requestsOf(rows) > 0).length,
    costsByModel: dearestFirst(byModel).map(([model, rows]) => ({ model, ...shown(rows) })),
    costsByVirtualKey: dearestFirst(byKey).map(([, rows]) => ({
      virtualKeyName: rows[0]?.keyName ?? '',
      creatorNickname: rows[0]?.creatorNickname ?? null,
      ...shown(rows),
    })),
  };
}

export function groupBy(
  totals: readonly MonthTotal[],
  keyOf: (total: MonthTotal) => string,
): Map<string, MonthTotal[]> {
  const groups = new Map<string, MonthTotal[]>();
  for (const total of totals) groups.set(keyOf(total), [...(groups.get(keyOf(total)) ?? []), total]);
  return groups;
}

/** The same order every time: by cost, then by name. */
export function dearestFirst(groups: ReadonlyMap<string, MonthTotal[]>): Array<[string, MonthTotal[]]> {
  return [...groups].sort(
    ([a, left], [b, right]) => compareUnits(costOf(right), costOf(left)) || (a < b ? -1 : 1),
  );
}

function shown(rows: readonly MonthTotal[]): { cost: string; requestCount: number } {
  return { cost: printUnits(costOf(rows)), requestCount: requestsOf(rows) };
}

function costOf(rows: readonly MonthTotal[]): Units {
  return sumUnits(rows.map(({ cost }) => cost));
}

function requestsOf(rows: readonly MonthTotal[]): number {
  return rows.reduce((sum, { requests }) => sum + requests, 0);
}
