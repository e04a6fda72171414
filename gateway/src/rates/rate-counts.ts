/** What keys and spaces with a limit did in the last two minutes: counted here, and told by others. */
import type { Principal } from '../access/principal.ts';
import type { Instant } from '../kernel/time.ts';
import { type RateKind, type RateReading, readingsOf, subjectsOf } from './rate-reading.ts';
import { addTo, countOf, EMPTY_WINDOW, minuteOf, type RateWindow, sumOf } from './rate-window.ts';

/** Beyond this many the one known longest is forgotten. */
const SUBJECTS_MAX = 50_000;

export interface MinuteCount {
  readonly subject: string;
  readonly minute: number;
  readonly requests: number;
  readonly tokens: number;
}

interface Counts {
  readonly own: Record<RateKind, RateWindow>;
  readonly others: Record<RateKind, RateWindow>;
  /** The first minute of ours that others do not know in full; null when they know all. */
  untoldFrom: number | null;
}

export class RateCounts {
  readonly #counts = new Map<string, Counts>();
  #sweptMinute = 0;

  readings(principal: Principal, now: Instant): RateReading[] {
    return subjectsOf(principal).flatMap((subject) => {
      const { own, others } = this.#of(subject.id, now);
      return readingsOf(subject, (kind) => sumOf(own[kind], others[kind], now));
    });
  }

  /** Counts against the key and the space, each if it has a limit. */
  add(principal: Principal, kind: RateKind, count: number, now: Instant): void {
    for (const { id } of subjectsOf(principal)) {
      const counts = this.#of(id, now);
      counts.own[kind] = addTo(counts.own[kind], count, now);
      counts.untoldFrom ??= minuteOf(now);
    }
  }

  /** What all others together counted. Within a minute that only grows, so a lower number is an old one. */
  learn({ subject, minute, requests, tokens }: MinuteCount, now: Instant): void {
    const { others } = this.#of(subject, now);
    others.requests = raised(others.requests, minute, requests);
    others.tokens = raised(others.tokens, minute, tokens);
  }

  /** The same from what everybody counted, us included. */
  learnTotal(total: MinuteCount, now: Instant): void {
    const { own } = this.#of(total.subject, now);
    this.learn(
      {
        ...total,
        requests: total.requests - countOf(own.requests, total.minute),
        tokens: total.tokens - countOf(own.tokens, total.minute),
      },
      now,
    );
  }

  subjects(): string[] {
    return [...this.#counts.keys()];
  }

  /** What others do not know yet. It counts as told from here on. */
  takeUntold(now: Instant): MinuteCount[] {
    const told: MinuteCount[] = [];
    for (const [subject, counts] of this.#counts) {
      if (counts.untoldFrom === null) continue;
      const from = Math.max(counts.untoldFrom, minuteOf(now) - 1);
      counts.untoldFrom = null;
      for (let minute = from; minute <= minuteOf(now); minute++) {
        const { requests, tokens } = counts.own;
        told.push({
          subject,
          minute,
          requests: countOf(requests, minute),
          tokens: countOf(tokens, minute),
        });
      }
    }
    return told;
  }

  /** They did not hear it after all. */
  putBack(untold: readonly MinuteCount[]): void {
    for (const { subject, minute } of untold) {
      const counts = this.#counts.get(subject);
      if (counts !== undefined) counts.untoldFrom = Math.min(counts.untoldFrom ?? minute, minute);
    }
  }

  #of(subject: string, now: Instant): Counts {
    if (minuteOf(now) !== this.#sweptMinute) this.#sweep(minuteOf(now));
    let counts = this.#counts.get(subject);
    if (counts === undefined) {
      counts = {
        own: { requests: EMPTY_WINDOW, tokens: EMPTY_WINDOW },
        others: { requests: EMPTY_WINDOW, tokens: EMPTY_WINDOW },
        untoldFrom: null,
      };
      if (this.#counts.size >= SUBJECTS_MAX) this.#counts.delete(this.#counts.keys().next().value as string);
      this.#counts.set(subject, counts);
    }
    return counts;
  }

  /** Forgets those of whom nothing is in the window any more. */
  #sweep(minute: number): void {
    this.#sweptMinute = minute;
    for (const [subject, { own, others }] of this.#counts) {
      const windows = [own.requests, own.tokens, others.requests, others.tokens];
      if (windows.every((window) => window.minute < minute - 1)) this.#counts.delete(subject);
    }
  }
}

/** The window with at least this count in that minute, if it is not too old to matter. */
function raised(window: RateWindow, minute: number, count: number): RateWindow {
  if (count <= countOf(window, minute)) return window;
  if (minute === window.minute) return { ...window, current: count };
  if (minute === window.minute - 1) return { ...window, previous: count };
  if (minute < window.minute) return window;
  return { minute, previous: countOf(window, minute - 1), current: count };
}
