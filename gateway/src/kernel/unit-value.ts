/**
 * What units are worth in a currency. Units stay the truth: an amount in a currency is computed where it is shown, from
 * the exact units, and is never stored or added up.
 */
import { currencyDigits } from './currencies.ts';
import type { Instant } from './time.ts';
import { divideHalfEven, parseUnits, UNIT_PLACES } from './units.ts';

/** What one unit is worth, from a time on. */
export interface UnitRate {
  /** Null: always. */
  readonly from: Instant | null;
  readonly perUnit: string;
}

/** As the installation states it. The rates stand in the order of their time. */
export interface UnitValue {
  readonly currency: string;
  readonly rates: readonly UnitRate[];
}

/** A rate as answers show it. */
export interface CurrencyRate {
  /** A code of ISO 4217. */
  readonly currency: string;
  /** An exact decimal. */
  readonly per_unit: string;
}

/** An amount of units in a currency. */
export interface CurrencyAmount extends CurrencyRate {
  readonly amount: string;
}

/** The rate that is valid at a time; null: none is stated for it. */
export function rateAt(value: UnitValue | null, at: Instant): CurrencyRate | null {
  const valid = value?.rates.findLast(({ from }) => from === null || from <= at);
  if (value === null || valid === undefined) return null;
  return { currency: value.currency, per_unit: valid.perUnit };
}

/** Null without a rate. */
export function worthOf(units: string, rate: CurrencyRate | null): CurrencyAmount | null {
  if (rate === null) return null;
  const { currency, per_unit } = rate;
  return { currency, amount: inCurrency(units, rate), per_unit };
}

/** Exact but for one rounding at the end: half to even, to the digits of the currency. */
export function inCurrency(units: string, { currency, per_unit }: CurrencyRate): string {
  const digits = currencyDigits(currency);
  const product = parseUnits(units) * parseUnits(per_unit);
  return printAmount(divideHalfEven(product, 10n ** BigInt(2 * UNIT_PLACES - digits)), digits);
}

/** `8.28 EUR`. */
export function printWorth(units: string, rate: CurrencyRate): string {
  return `${inCurrency(units, rate)} ${rate.currency}`;
}

/** With all digits of the currency, as invoices have them. */
function printAmount(count: bigint, digits: number): string {
  const text = (count < 0n ? -count : count).toString().padStart(digits + 1, '0');
  const whole = text.slice(0, text.length - digits);
  const sign = count < 0n ? '-' : '';
  return digits === 0 ? `${sign}${whole}` : `${sign}${whole}.${text.slice(-digits)}`;
}
