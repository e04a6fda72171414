/** Compares counts with per-minute limits: the error of a rejected call and the headers of a reply. Pure. */
import type { Principal, Rate } from '../access/principal.ts';
import { Problem } from '../kernel/problem.ts';
import { type Instant, isoOf } from '../kernel/time.ts';
import { freeAt, type RateWindow, usedIn } from './rate-window.ts';

export type RateHolder = 'key' | 'member' | 'space';

/** A key, a member or a space with a limit. */
export interface RateSubject {
  readonly whose: RateHolder;
  readonly id: string;
  readonly rate: Rate;
}

/** The key, the member and the space of a call, each if it has a limit. */
export function subjectsOf(principal: Principal): RateSubject[] {
  const { keyId, keyRate, memberId, memberRate, spaceId, spaceRate } = principal;
  const subjects: RateSubject[] = [];
  if (keyRate !== null) subjects.push({ whose: 'key', id: keyId, rate: keyRate });
  if (memberRate !== null && memberId !== null)
    subjects.push({ whose: 'member', id: memberId, rate: memberRate });
  if (spaceRate !== null) subjects.push({ whose: 'space', id: spaceId, rate: spaceRate });
  return subjects;
}

export type RateKind = 'requests' | 'tokens';

/** One limit and the count for it. */
export interface RateReading {
  readonly whose: RateHolder;
  readonly kind: RateKind;
  readonly cap: number;
  readonly window: RateWindow;
}

/** One reading for each limit of the subject. */
export function readingsOf(
  { whose, rate }: RateSubject,
  windowOf: (kind: RateKind) => RateWindow,
): RateReading[] {
  const { requestsPerMinute, tokensPerMinute } = rate;
  const readings: RateReading[] = [];
  if (requestsPerMinute !== null)
    readings.push({ whose, kind: 'requests', cap: requestsPerMinute, window: windowOf('requests') });
  if (tokensPerMinute !== null)
    readings.push({ whose, kind: 'tokens', cap: tokensPerMinute, window: windowOf('tokens') });
  return readings;
}

/** Null when no limit is reached. */
export function rateProblem(readings: readonly RateReading[], now: Instant): Problem | null {
  const [first, ...others] = readings.filter(({ window, cap }) => usedIn(window, now) >= cap);
  if (first === undefined) return null;
  // When several limits are reached, report the one that resets last: a call sent after it is admitted.
  const { whose, kind, cap, window } = others.reduce(
    (a, b) => (until(b, now) > until(a, now) ? b : a),
    first,
  );
  const [used, resetsAt] = [usedIn(window, now), freeAt(window, cap, now)];
  return new Problem('rate_limit_exceeded', {
    detail:
      `The rate limit of this ${whose} is reached: ${used} of ${cap} ${kind} per minute are used. ` +
      `Try again in ${printDuration(resetsAt - now)}, at ${isoOf(resetsAt)}.`,
    retryAfterMs: resetsAt - now,
    headers: rateHeaders(readings, now),
    facts: { limit: `${whose}_${kind}_per_minute`, used, cap, resets_at: isoOf(resetsAt) },
  });
}

export function rateHeaders(readings: readonly RateReading[], now: Instant): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const kind of ['requests', 'tokens'] as const) {
    const [first, ...others] = readings.filter((reading) => reading.kind === kind);
    if (first === undefined) continue;
    const tightest = others.reduce((a, b) => (tighter(b, a, now) ? b : a), first);
    headers[`x-ratelimit-limit-${kind}`] = String(tightest.cap);
    headers[`x-ratelimit-remaining-${kind}`] = String(remaining(tightest, now));
    headers[`x-ratelimit-reset-${kind}`] = printDuration(until(tightest, now));
  }
  return headers;
}

function tighter(one: RateReading, other: RateReading, now: Instant): boolean {
  const difference = remaining(one, now) - remaining(other, now);
  return difference < 0 || (difference === 0 && until(one, now) > until(other, now));
}

function remaining({ window, cap }: RateReading, now: Instant): number {
  return Math.max(cap - usedIn(window, now), 0);
}

/** Milliseconds until there is room again if the limit is reached, otherwise until the whole limit is free. */
function until(reading: RateReading, now: Instant): number {
  const { window, cap } = reading;
  return freeAt(window, remaining(reading, now) === 0 ? cap : 1, now) - now;
}

/** In the format of OpenAI: `350ms`, `1s`, `1.25s`, `1m0s`. */
export function printDuration(durationMs: number): string {
  if (durationMs > 0 && durationMs < 1000) return `${durationMs}ms`;
  const minutes = Math.floor(durationMs / 60_000);
  const seconds = `${(durationMs % 60_000) / 1000}s`;
  return minutes === 0 ? seconds : `${minutes}m${seconds}`;
}
