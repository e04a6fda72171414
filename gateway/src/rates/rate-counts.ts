/** Counts requests and tokens of keys and spaces with a limit in the last two minutes, here and in other processes. */
import type { Principal } from '../access/principal.ts';
import type { Instant } from '../kernel/time.ts';
import { type RateKind, type RateReading, readingsOf, subjectsOf } from './rate-reading.ts';
import { addTo, countOf, EMPTY_WINDOW, minuteOf, type RateWindow, sumOf } from './rate-window.ts';

/** Above this many, the oldest entry is dropped. */
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
  /** The first minute with own counts that were not shared yet; null when all are shared. */
  unsharedFrom: number | null;
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
      counts.unsharedFrom ??= minuteOf(now);
    }
  }

  /** The sum of all other processes. Within a minute it only grows, so a lower number is an outdated one. */
  learn({ subject, minute, requests, tokens }: MinuteCount, now: Instant): void {
    const { others } = this.#of(subject, now);
    others.requests = raised(others.requests, minute, requests);
    others.tokens = raised(others.tokens, minute, tokens);
  }

  /** Learns the same from a sum that includes this process. */
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

  /** Returns the counts that were not shared yet, and marks them as shared. */
  takeUnshared(now: Instant): MinuteCount[] {
    const taken: MinuteCount[] = [];
    for (const [subject, counts] of this.#counts) {
      if (counts.unsharedFrom === null) continue;
      const from = Math.max(counts.unsharedFrom, minuteOf(now) - 1);
      counts.unsharedFrom = null;
      for (let minute = from; minute <= minuteOf(now); minute++) {
        const { requests, tokens } = counts.own;
        taken.push({
          subject,
          minute,
          requests: countOf(requests, minute),
          tokens: countOf(tokens, minute),
        });
      }
    }
    return taken;
  }

  /** Marks counts as not shared again, after sharing failed. */
  putBack(unshared: readonly MinuteCount[]): void {
    for (const { subject, minute } of unshared) {
      const counts = this.#counts.get(subject);
      if (counts !== undefined) counts.unsharedFrom = Math.min(counts.unsharedFrom ?? minute, minute);
    }
  }

  #of(subject: string, now: Instant): Counts {
    if (minuteOf(now) !== this.#sweptMinute) this.#sweep(minuteOf(now));
    let counts = this.#counts.get(subject);
    if (counts === undefined) {
      counts = {
        own: { requests: EMPTY_WINDOW, tokens: EMPTY_WINDOW },
        others: { requests: EMPTY_WINDOW, tokens: EMPTY_WINDOW },
        unsharedFrom: null,
      };
      if (this.#counts.size >= SUBJECTS_MAX) this.#counts.delete(this.#counts.keys().next().value as string);
      this.#counts.set(subject, counts);
    }
    return counts;
  }

  /** Drops the subjects without counts in the window. */
  #sweep(minute: number): void {
    this.#sweptMinute = minute;
    for (const [subject, { own, others }] of this.#counts) {
      const windows = [own.requests, own.tokens, others.requests, others.tokens];
      if (windows.every((window) => window.minute < minute - 1)) this.#counts.delete(subject);
    }
  }
}

/** The window with at least this count in that minute. Older minutes are ignored. */
function raised(window: RateWindow, minute: number, count: number): RateWindow {
  if (count <= countOf(window, minute)) return window;
  if (minute === window.minute) return { ...window, current: count };
  if (minute === window.minute - 1) return { ...window, previous: count };
  if (minute < window.minute) return window;
  return { minute, previous: countOf(window, minute - 1), current: count };
}
