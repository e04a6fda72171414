/** Amounts of exports, which may have more places than our own or an exponent. Sums are exact. */
import type { Units } from '../../kernel/units.ts';

/** An integer of 10⁻⁴⁰. */
export type ExactAmount = bigint & { readonly __exact: never };

const PLACES = 40;
const UNIT_PLACES = 12;
const DECIMAL = /^([+-]?)(\d{0,30})(?:\.(\d{0,60}))?(?:[eE]([+-]?\d{1,3}))?$/;
/** What an exponent may be, so that a typing error does not become a huge number. */
const EXPONENT_MAX = 30;

/** Null if the text is not a decimal number. Digits beyond 40 places are dropped. */
export function parseExact(text: string, shift = 0): ExactAmount | null {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(text.trim()) ?? [];
  const moved = Number(exponent) + shift;
  if ((whole === '' && fraction === '') || Math.abs(moved) > EXPONENT_MAX + 2) return null;
  const places = PLACES - fraction.length + moved;
  const digits = BigInt(whole + fraction);
  const magnitude = places >= 0 ? digits * 10n ** BigInt(places) : digits / 10n ** BigInt(-places);
  return (sign === '-' ? -magnitude : magnitude) as ExactAmount;
}

export function addExact(a: ExactAmount, b: ExactAmount): ExactAmount {
  return (a + b) as ExactAmount;
}

/** Rounded half to even to our 12 places, so that the binary fractions of an export make no difference. */
export function toUnits(amount: ExactAmount): Units {
  const divisor = 10n ** BigInt(PLACES - UNIT_PLACES);
  const [quotient, remainder] = [amount / divisor, amount % divisor];
  const twice = (remainder < 0n ? -remainder : remainder) * 2n;
  if (twice < divisor || (twice === divisor && quotient % 2n === 0n)) return quotient as Units;
  return (quotient + (amount < 0n ? -1n : 1n)) as Units;
}
