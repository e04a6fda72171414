/**
 * Money. An amount is an integer count of 10⁻¹² units, so sums are exact; a JavaScript number never holds one. `null`
 * instead of Units means "unknown" and is never zero.
 */
export type Units = bigint & { readonly __units: never };

export const UNIT_PLACES = 12;
const SCALE = 10n ** BigInt(UNIT_PLACES);
/** numeric(38,12) in the database has room for 26 digits before the point. */
const WHOLE_DIGITS_MAX = 26;
const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?$/;

export const ZERO = 0n as Units;

/** Parses a decimal string such as `-12.5`. Exponents, spaces and more than 12 places are rejected. */
export function parseUnits(text: string): Units {
  const match = text.length <= WHOLE_DIGITS_MAX + UNIT_PLACES + 2 ? DECIMAL.exec(text) : null;
  const [, sign = '', whole = '', fraction = ''] = match ?? [];
  const places = fraction.replace(/0+$/, '');
  if (whole === '' && fraction === '') throw new RangeError(`not a decimal amount: ${quote(text)}`);
  if (places.length > UNIT_PLACES) throw new RangeError(`more than 12 decimal places: ${quote(text)}`);
  if (whole.replace(/^0+/, '').length > WHOLE_DIGITS_MAX) throw new RangeError(`too large: ${quote(text)}`);
  const magnitude = BigInt(whole || '0') * SCALE + BigInt(places.padEnd(UNIT_PLACES, '0'));
  return (sign === '-' ? -magnitude : magnitude) as Units;
}

/** Writes an amount with no exponent and no trailing zeros; zero is `0`. */
export function printUnits(amount: Units): string {
  if (amount < 0n) return `-${printUnits(-amount as Units)}`;
  if (amount > EXACT_MAX) return printDigits(amount / SCALE, (amount % SCALE).toString());
  // Every call prints several amounts; for integers of this size a number is exact, and faster.
  const count = Number(amount);
  const whole = Math.floor(count / SCALE_NUMBER);
  return printDigits(whole, String(count - whole * SCALE_NUMBER));
}

const EXACT_MAX = BigInt(Number.MAX_SAFE_INTEGER);
const SCALE_NUMBER = Number(SCALE);

function printDigits(whole: number | bigint, rest: string): string {
  let end = rest.length;
  while (end > 0 && rest.charCodeAt(end - 1) === 48) end--;
  if (end === 0) return `${whole}`;
  return `${whole}.${ZEROS[UNIT_PLACES - rest.length]}${rest.slice(0, end)}`;
}

const ZEROS = Array.from({ length: UNIT_PLACES }, (_, count) => '0'.repeat(count));

export function addUnits(a: Units, b: Units): Units {
  return (a + b) as Units;
}

export function subtractUnits(a: Units, b: Units): Units {
  return (a - b) as Units;
}

export function negateUnits(amount: Units): Units {
  return -amount as Units;
}

/** For sorting: below zero when `a` is less. */
export function compareUnits(a: Units, b: Units): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export function sumUnits(amounts: Iterable<Units>): Units {
  let sum = 0n;
  for (const amount of amounts) sum += amount;
  return sum as Units;
}

/**
 * Where an amount is rounded: `price × count ÷ per`, half to even, to 12 places. A price per million
 * tokens with up to six places is never rounded.
 */
export function multiplyUnits(price: Units, times: { count: number; per: number }): Units {
  if (!Number.isSafeInteger(times.count)) throw new RangeError(`not a whole count: ${times.count}`);
  if (!Number.isSafeInteger(times.per) || times.per < 1) throw new RangeError(`not a divisor: ${times.per}`);
  return divideHalfEven(price * BigInt(times.count), BigInt(times.per)) as Units;
}

/** A price times decimal factors (as `parseUnits` reads them), rounded once as above. */
export function scaleUnits(price: Units, factors: readonly Units[]): Units {
  if (factors.length === 0) return price;
  const product = factors.reduce<bigint>((so, factor) => so * factor, price);
  return divideHalfEven(product, SCALE ** BigInt(factors.length)) as Units;
}

/** Rounds to the nearest; of two that are as near, to the even one. The divisor is positive. */
export function divideHalfEven(numerator: bigint, divisor: bigint): bigint {
  const quotient = numerator / divisor;
  const remainder = numerator % divisor;
  const twice = (remainder < 0n ? -remainder : remainder) * 2n;
  if (twice < divisor || (twice === divisor && quotient % 2n === 0n)) return quotient;
  return quotient + (numerator < 0n ? -1n : 1n);
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
