/** What the month will have cost at its end if spending goes on as it did so far. An estimate, and shown as one. Pure. */
import { parseUnits, printUnits, type Units } from '../../../../gateway/src/kernel/units.ts';
import { addMonths } from '../../text/times.ts';

/** 10⁻¹² units: what an estimate is rounded to. */
const CENT = 10n ** 10n;
const MILLIONTH = 10n ** 6n;
const ONE = 10n ** 12n;
const TEN_YEARS_MS = 10 * 366 * 86_400_000;

interface Pace {
  /** A decimal. */
  readonly atMonthEnd: string;
  /** When the units held are used up, in milliseconds; null if nothing is spent, or not in ten years. */
  readonly lastsUntil: number | null;
}

export function paceOf(of: { spent: string; held: string; month: string; now: number }): Pace {
  const start = startOf(of.month);
  const length = startOf(addMonths(of.month, 1)) - start;
  const passed = Math.max(1, Math.min(of.now - start, length));
  const [spent, held] = [parseUnits(of.spent), parseUnits(of.held)];
  const expected = (spent * BigInt(length)) / BigInt(passed);
  return {
    atMonthEnd: printUnits(rounded(expected)),
    lastsUntil: endOf({ spent, held, passed, now: of.now }),
  };
}

function endOf({ spent, held, passed, now }: { spent: Units; held: Units; passed: number; now: number }) {
  if (spent <= 0n || held <= 0n) return null;
  const left = Number((held * BigInt(passed)) / spent);
  return left > TEN_YEARS_MS ? null : now + left;
}

function rounded(amount: bigint): Units {
  const step = amount >= ONE ? CENT : MILLIONTH;
  return (((amount + step / 2n) / step) * step) as Units;
}

function startOf(month: string): number {
  return Date.parse(`${month}-01T00:00:00+09:00`);
}
