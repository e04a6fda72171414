/** Decimals as text, so that a price never passes through a JavaScript number. Pure. */
import { parseUnits, printUnits } from '../../kernel/units.ts';

const NUMBER = /^(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/;
const PLACES_MAX = 12;
const WHOLE_DIGITS_MAX = 20;
const SCALE = 10n ** 12n;

/**
 * Moves the decimal point to the right: `2.5e-06` by 6 is `2.5`. Null if the text is not a number, is negative, or
 * needs more digits than a price sheet can have.
 */
export function shiftDecimal(text: string, places: number): string | null {
  const match = NUMBER.exec(text);
  const [, whole = '', fraction = '', exponent = '0'] = match ?? [];
  if (whole === '' && fraction === '') return null;
  const digits = `${whole}${fraction}`;
  const point = whole.length + Number(exponent) + places;
  const before = (point > 0 ? digits.slice(0, point).padEnd(point, '0') : '').replace(/^0+/, '');
  const after = (point > 0 ? digits.slice(point) : `${'0'.repeat(-point)}${digits}`).replace(/0+$/, '');
  if (after.length > PLACES_MAX || before.length > WHOLE_DIGITS_MAX) return null;
  return `${before || '0'}${after === '' ? '' : `.${after}`}`;
}

/** `amount` ÷ `base` if that has at most 12 places, else null. */
export function exactRatio(amount: string, base: string): string | null {
  const divisor = parseUnits(base);
  if (divisor === 0n) return null;
  const scaled = parseUnits(amount) * SCALE;
  if (scaled % divisor !== 0n) return null;
  return printUnits((scaled / divisor) as ReturnType<typeof parseUnits>);
}
