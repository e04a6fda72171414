/** The margin of a month: what was charged minus what providers bill. Unknown amounts are counted apart. */
import type { ResultOf } from '../contract/administration/admin-endpoints.ts';
import type { Queryable } from '../database/database.ts';
import type { Month } from '../kernel/time.ts';
import {
  addUnits,
  compareUnits,
  printUnits,
  scaleUnits,
  subtractUnits,
  type Units,
} from '../kernel/units.ts';
import { type MarginDimension, type MarginTotal, readMarginTotals } from './margin.store.ts';

export async function marginReport(
  db: Queryable,
  of: { month: Month; by: MarginDimension; rate: Units | null },
): Promise<ResultOf<'reports.margin'>> {
  const { month, by, rate } = of;
  const totals = withCurrency(await readMarginTotals(db, { month, by }));
  const ordered = by === 'day' ? totals : totals.toSorted((a, b) => compareUnits(b.charge, a.charge));
  return {
    month,
    by,
    units_per_currency: rate === null ? null : printUnits(rate),
    rows: ordered.map((total) => ({ name: total.name, ...shownMargin(total, rate) })),
    totals: sumsOf(totals).map((total) => shownMargin(total, rate)),
  };
}

/**
 * One for each currency, by the same rule as rows: so reports by space, by model and by day have the same totals. What
 * has no known cost comes last.
 */
function sumsOf(totals: readonly MarginTotal[]): MarginTotal[] {
  const sums = [...Map.groupBy(totals, ({ currency }) => currency).values()]
    .map((same) => ({ ...same.reduce(added), name: '' }))
    .toSorted((a, b) => ((a.currency ?? '~') < (b.currency ?? '~') ? -1 : 1));
  return withCurrency(sums);
}

/** Requests of unknown cost have no currency; they belong to the row of the only currency there is. */
function withCurrency(totals: readonly MarginTotal[]): MarginTotal[] {
  return [...Map.groupBy(totals, ({ name }) => name).values()].flatMap((rows) => {
    const known = rows.filter(({ currency }) => currency !== null);
    const unknown = rows.find(({ currency }) => currency === null);
    const [only] = known;
    if (unknown === undefined || only === undefined || known.length > 1) return rows;
    return [{ ...added(unknown, only), currency: only.currency }];
  });
}

function added(a: MarginTotal, b: MarginTotal): MarginTotal {
  return {
    name: a.name,
    currency: a.currency,
    requests: a.requests + b.requests,
    charge: addUnits(a.charge, b.charge),
    chargeUnknown: a.chargeUnknown + b.chargeUnknown,
    cost: addUnits(a.cost, b.cost),
    costUnknown: a.costUnknown + b.costUnknown,
    knownCharge: addUnits(a.knownCharge, b.knownCharge),
    knownCost: addUnits(a.knownCost, b.knownCost),
  };
}

function shownMargin(total: MarginTotal, rate: Units | null) {
  const { requests, chargeUnknown, costUnknown, currency, knownCharge, knownCost } = total;
  const known = currency !== null && rate !== null;
  return {
    requests,
    charge: printUnits(total.charge),
    charge_unknown: chargeUnknown,
    cost: currency === null ? null : printUnits(total.cost),
    currency,
    cost_unknown: costUnknown,
    margin: known ? printUnits(subtractUnits(knownCharge, scaleUnits(knownCost, [rate]))) : null,
  };
}
