/** The usage report of the platform API. All sums come from the same rows, so they agree exactly. */
import type { UsageRecord } from '../contract/platform.ts';
import { type Month, printMonthEnd, printMonthStart } from '../kernel/time.ts';
import { compareUnits, printUnits, sumUnits } from '../kernel/units.ts';
import type { Counted, MonthTotals } from './usage-report.store.ts';

export function usageReport(month: Month, { keys, models }: MonthTotals): UsageRecord {
  return {
    periodStart: printMonthStart(month),
    periodEnd: printMonthEnd(month),
    totalCostUsage: printUnits(sumUnits(keys.map(({ cost }) => cost))),
    totalRequestCount: keys.reduce((sum, { requests }) => sum + requests, 0),
    activeVirtualKeyCount: keys.filter(({ requests }) => requests > 0).length,
    costsByModel: highestCostFirst(models, ({ model }) => model).map((total) => ({
      model: total.model,
      ...shown(total),
    })),
    costsByVirtualKey: highestCostFirst(keys, ({ keyId }) => keyId).map((total) => ({
      virtualKeyName: total.keyName,
      creatorNickname: total.creatorNickname,
      ...shown(total),
    })),
  };
}

/** A stable order: highest cost first, then by name. */
export function highestCostFirst<Total extends Counted>(
  totals: readonly Total[],
  nameOf: (total: Total) => string,
): Total[] {
  return totals.toSorted((a, b) => compareUnits(b.cost, a.cost) || (nameOf(a) < nameOf(b) ? -1 : 1));
}

function shown({ cost, requests }: Counted): { cost: string; requestCount: number } {
  return { cost: printUnits(cost), requestCount: requests };
}
