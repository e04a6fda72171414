/**
 * The usage of a month by model, key, member or day, with its total, of a space or of one member. The rows add up to
 * the total exactly.
 */
import type { UsageKind } from '../contract/administration/usage-dimensions.ts';
import type { usageDimensions } from '../contract/administration/words.ts';
import type { Queryable } from '../database/database.ts';
import { type Month, printMonthEnd, printMonthStart } from '../kernel/time.ts';
import { printUnits, sumUnits } from '../kernel/units.ts';
import { readDayModelTotals, readModelTotals } from './usage-days.store.ts';
import { isPlain, type UsagePair, usagePairs } from './usage-pairs.ts';
import { type Counted, type KeyTotal, readMonthTotals, type UsageScope } from './usage-report.store.ts';
import { highestCostFirst } from './usage-report.ts';

export type UsageDimension = (typeof usageDimensions)[number];

export interface UsageRow {
  readonly name: string;
  readonly kind: UsageKind;
  /** Null: there is one dimension. */
  readonly and_name: string | null;
  readonly and_kind: UsageKind | null;
  /** Null unless the rows are keys. */
  readonly key_id: string | null;
  readonly requests: number;
  readonly unpriced: number;
  /** A decimal string. */
  readonly cost: string;
}

type Amounts = Pick<UsageRow, 'requests' | 'unpriced' | 'cost'>;

export interface UsageBreakdown {
  readonly month: Month;
  readonly period_start: string;
  readonly period_end: string;
  readonly by: string;
  /** Null: the rows stand for one dimension. */
  readonly and: string | null;
  readonly rows: UsageRow[];
  readonly total: Amounts;
}

export async function usageBreakdown(
  db: Queryable,
  of: UsageScope & { month: Month; by: string; and?: string | null | undefined },
): Promise<UsageBreakdown> {
  const { month, by, and = null, ...scope } = of;
  const named = await readUsage(db, scope, { month, by, and });
  return {
    month,
    period_start: printMonthStart(month),
    period_end: printMonthEnd(month),
    by,
    and,
    rows: named.map(({ name, kind, and: second, keyId, ...counted }) => ({
      name,
      kind,
      and_name: second?.name ?? null,
      and_kind: second?.kind ?? null,
      ...shown(counted),
      key_id: keyId,
    })),
    total: shown(sumOf(named)),
  };
}

async function readUsage(
  db: Queryable,
  scope: UsageScope,
  { month, by, and }: { month: Month; by: string; and: string | null },
): Promise<UsagePair[]> {
  if (and !== null || !isPlain(by)) return await usagePairs(db, scope, { month, by, and });
  const rows = await readRows(db, { ...scope, month, by });
  return rows.map(({ keyId = null, ...row }) => ({ ...row, kind: 'value', and: null, keyId }));
}

interface NamedCount extends Counted {
  readonly name: string;
  readonly keyId?: string;
}

async function readRows(
  db: Queryable,
  { month, by, ...scope }: UsageScope & { month: Month; by: UsageDimension },
): Promise<NamedCount[]> {
  if (by === 'day') {
    const days = Map.groupBy(await readDayModelTotals(db, scope, month), ({ day }) => day);
    return [...days].map(([name, models]) => ({ name, ...sumOf(models) }));
  }
  if (by === 'model') {
    const models = await readModelTotals(db, scope, month);
    return highestCostFirst(models, ({ model }) => model).map((total) => ({ name: total.model, ...total }));
  }
  const { keys } = await readMonthTotals(db, scope, month);
  if (by === 'member') return highestCostFirst(membersOf(keys), ({ name }) => name);
  // Sorted by id, because the name of a revoked key can be used again.
  return highestCostFirst(keys, ({ keyId }) => keyId).map((total) => ({ name: total.keyName, ...total }));
}

function membersOf(keys: readonly KeyTotal[]): NamedCount[] {
  const members = Map.groupBy(keys, ({ member }) => member ?? '(shared keys)');
  return [...members].map(([name, own]) => ({ name, ...sumOf(own) }));
}

export interface DailyUsageRow extends Amounts {
  /** YYYY-MM-DD (KST). */
  readonly day: string;
  readonly model: string;
}

/** The usage of each day and model of a month, in this order, for charts. Days without usage have no row. */
export async function dailyUsage(
  db: Queryable,
  { month, ...scope }: UsageScope & { month: Month },
): Promise<DailyUsageRow[]> {
  const totals = await readDayModelTotals(db, scope, month);
  return totals.map(({ day, model, ...counted }) => ({ day, model, ...shown(counted) }));
}

function sumOf(counted: readonly Counted[]): Counted {
  const sum = (field: 'requests' | 'unpriced'): number => counted.reduce((all, row) => all + row[field], 0);
  return {
    requests: sum('requests'),
    unpriced: sum('unpriced'),
    cost: sumUnits(counted.map(({ cost }) => cost)),
  };
}

function shown({ requests, unpriced, cost }: Counted): Amounts {
  return { requests, unpriced, cost: printUnits(cost) };
}
