/** Reads fields whose schema is only text: amounts of units, and times. */
import type { Rate } from '../access/principal.ts';
import { Problem } from '../kernel/problem.ts';
import { type Instant, kstOf } from '../kernel/time.ts';
import { parseUnits, printUnits, type Units } from '../kernel/units.ts';

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

export function monthLimitOf({ month_limit }: { month_limit: string | null }): Units | null {
  return month_limit === null ? null : unitsOf(month_limit, { field: 'month_limit' });
}

export function shownLimit(limit: Units | null): string | null {
  return limit === null ? null : printUnits(limit);
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

export function rateOf(input: {
  requests_per_minute?: number | null;
  tokens_per_minute?: number | null;
}): Partial<Rate> {
  const { requests_per_minute: requests, tokens_per_minute: tokens } = input;
  if (requests === undefined && tokens === undefined)
    throw new Problem('invalid_parameter', {
      detail: 'Nothing to change: set requests_per_minute, tokens_per_minute or both.',
      param: 'requests_per_minute',
    });
  return {
    ...(requests !== undefined && { requestsPerMinute: requests }),
    ...(tokens !== undefined && { tokensPerMinute: tokens }),
  };
}

export function shownRate({ requestsPerMinute, tokensPerMinute }: Rate) {
  return { requests_per_minute: requestsPerMinute, tokens_per_minute: tokensPerMinute };
}

/** Times from which and until when (not included) something is listed. */
export function readRange({ from, until }: { from?: string; until?: string }): {
  from: Instant | null;
  until: Instant | null;
} {
  const instant = (time: string | undefined) => (time === undefined ? null : Date.parse(time));
  return { from: instant(from), until: instant(until) };
}
