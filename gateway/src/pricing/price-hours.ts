/** The hours of a special price, and whether a call starts in them. Pure. */
import { type PricingHours, weekdays } from '../contract/price-hours.ts';
import { DAY_MS, MINUTE_MS } from '../kernel/durations.ts';
import type { Instant } from '../kernel/time.ts';

/** 1970-01-01, the first of all days, was a Thursday. */
const FIRST_WEEKDAY = 3;

/** Half open, in UTC. */
export interface PriceHours {
  readonly fromMs: number;
  /** Not after `fromMs`: on the next day. */
  readonly toMs: number;
  /** The days on which they begin, Monday is 0; null: every day. */
  readonly days: ReadonlySet<number> | null;
  /** Days since 1970 on which they do not begin. */
  readonly except: ReadonlySet<number>;
  readonly written: PricingHours;
}

export function readHours(written: PricingHours): PriceHours {
  const { from, to, days, except = [] } = written;
  return {
    fromMs: timeOfDay(from),
    toMs: timeOfDay(to),
    days: days === undefined ? null : new Set(days.map((day) => weekdays.indexOf(day))),
    except: new Set(except.map((date) => Date.parse(date) / DAY_MS)),
    written,
  };
}

function timeOfDay(text: string): number {
  return (Number(text.slice(0, 2)) * 60 + Number(text.slice(3))) * MINUTE_MS;
}

export function isWithin({ fromMs, toMs, days, except }: PriceHours, at: Instant): boolean {
  const today = Math.floor(at / DAY_MS);
  const time = at - today * DAY_MS;
  const passesMidnight = toMs <= fromMs;
  let begun = today;
  if (passesMidnight && time < toMs) begun = today - 1;
  else if (time < fromMs || (!passesMidnight && time >= toMs)) return false;
  return (days === null || days.has((begun + FIRST_WEEKDAY) % 7)) && !except.has(begun);
}
