/**
 * Routes, and keys of routes, that should not be used for some time: their provider said that a limit is reached, or
 * rejected the key. They are tried after all others, so that a call never fails because of a rest.
 */
import type { Clock } from '../kernel/time.ts';

/** However long a provider wants to be left alone. */
export const REST_MS_MAX = 60_000;
/** After a 429 that does not say how long. */
export const REST_MS_DEFAULT = 1_000;
/** Of a key that the provider does not accept. */
export const KEY_REST_MS = 60_000;

export class RouteRests {
  readonly #clock: Clock;
  /** As many as there are routes and keys. */
  readonly #until = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  rest(id: string, forMs: number): void {
    const untilMs = this.#clock.elapsedMs() + Math.min(forMs, REST_MS_MAX);
    if (untilMs > (this.#until.get(id) ?? 0)) this.#until.set(id, untilMs);
  }

  /** Whether any rests: the usual case is none. */
  get any(): boolean {
    return this.#until.size > 0;
  }

  isResting(id: string): boolean {
    const untilMs = this.#until.get(id);
    if (untilMs === undefined) return false;
    if (this.#clock.elapsedMs() < untilMs) return true;
    this.#until.delete(id);
    return false;
  }
}
