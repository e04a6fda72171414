/** Reads fields whose schema is only text: amounts of units, and times. */
import { Problem } from '../kernel/problem.ts';
import { type Instant, kstOf } from '../kernel/time.ts';
import { parseUnits, type Units } from '../kernel/units.ts';

/** Reads an amount of units; the schema has only checked that it is a text. */
export function unitsOf(
  amount: string,
  { field = 'amount', least = 'above 0' }: { field?: string; least?: 'above 0' | '0 or more' } = {},
): Units {
  try {
    const units = parseUnits(amount);
    if (units > 0n || (units === 0n && least === '0 or more')) return units;
  } catch {
    // Answered below, with all other amounts that make no sense.
  }
  const must = least === 'above 0' ? 'a decimal number above 0' : 'a decimal number, 0 or more';
  throw new Problem('invalid_parameter', {
    detail: `${field} ${JSON.stringify(amount)} is not valid: it must be ${must}, such as 12.5.`,
    param: field,
  });
}

export function shownTime(at: Instant | null): string | null {
  return at === null ? null : kstOf(at);
}

/** Reads when something expires. */
export function futureTime(time: string, now: Instant): Instant {
  const instant = Date.parse(time);
  if (instant > now) return instant;
  throw new Problem('invalid_parameter', {
    detail: `The time ${time} is in the past: choose one after ${kstOf(now)}.`,
    param: 'expires',
  });
}

/** Times from which and until when (not included) something is listed. */
export function readRange({ from, until }: { from?: string; until?: string }): {
  from: Instant | null;
  until: Instant | null;
} {
  const instant = (time: string | undefined) => (time === undefined ? null : Date.parse(time));
  return { from: instant(from), until: instant(until) };
}
