/**
 * Costs as results. An amount is the exact product of the units and of the rate of their month (KST), without rounding, so that
 * sums are exact too. A JavaScript number would round it, so it is written as it is. Pure.
 */
import { UNITS_CURRENCY } from '../../contract/organization/bucket-page.ts';
import { costsReport, type Grouping } from '../../contract/organization/usage-reports.ts';
import { monthStart } from '../../kernel/time.ts';
import { rateAt, type UnitValue } from '../../kernel/unit-value.ts';
import { addUnits, parseUnits, printUnits, UNIT_PLACES, type Units, ZERO } from '../../kernel/units.ts';
import type { CostRow } from './asked-work.ts';

interface Sum {
  readonly row: CostRow;
  readonly currency: string;
  units: Units;
  /** In 10⁻²⁴ of the currency. */
  amount: bigint;
  requests: number;
  unpriced: number;
}

const ONE = 10n ** BigInt(UNIT_PLACES);

/**
 * The rows of a bucket. A day of UTC has two months of KST at the end of a month: they are one result, unless only one of
 * them has a rate.
 */
export function costResults(
  rows: readonly CostRow[],
  asked: readonly Grouping[],
  value: UnitValue | null,
): object[] {
  const sums = new Map<string, Sum>();
  for (const row of rows) {
    const rate = rateAt(value, monthStart(row.month));
    const currency = rate?.currency.toLowerCase() ?? UNITS_CURRENCY;
    const place = JSON.stringify([currency, ...asked.map((group) => groupValue(group, row))]);
    const sum = sums.get(place) ?? { row, currency, units: ZERO, amount: 0n, requests: 0, unpriced: 0 };
    const units = parseUnits(row.cost);
    sum.units = addUnits(sum.units, units);
    sum.amount += units * (rate === null ? ONE : parseUnits(rate.per_unit));
    sum.requests += row.requests;
    sum.unpriced += row.unpriced;
    sums.set(place, sum);
  }
  return [...sums.values()].map(resultOf);
}

function resultOf({ row, currency, units, amount, requests, unpriced }: Sum): object {
  return {
    object: costsReport.object,
    amount: { value: jsonNumber(printAmount(amount)), currency },
    units: printUnits(units),
    num_requests: requests,
    num_unpriced_requests: unpriced,
    ...Object.fromEntries(costsReport.groups.map((group) => [group, groupValue(group, row)])),
  };
}

function groupValue(group: Grouping, row: CostRow): string | boolean | null {
  return group === 'line_item' ? row.model : row[group];
}

/** With all its digits and no exponent. */
function printAmount(amount: bigint): string {
  const places = 2 * UNIT_PLACES;
  const digits = (amount < 0n ? -amount : amount).toString().padStart(places + 1, '0');
  const rest = digits.slice(-places).replace(/0+$/, '');
  const sign = amount < 0n ? '-' : '';
  return `${sign}${digits.slice(0, -places)}${rest === '' ? '' : `.${rest}`}`;
}

/** `JSON.stringify` writes it as a number with exactly this text. */
function jsonNumber(text: string): unknown {
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text);
}
