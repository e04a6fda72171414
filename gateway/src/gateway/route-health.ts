/**
 * A circuit breaker per route: after several failures in a row a route is left alone for a while,
 * then one call is let through to see whether it works again.
 */
import type { Clock } from '../kernel/time.ts';

export const FAILURES_TO_OPEN = 5;
export const OPEN_MS = 10_000;

interface Health {
  failures: number;
  openUntilMs: number;
  probing: boolean;
}

export class RouteHealth {
  readonly #clock: Clock;
  readonly #troubled = new Map<string, Health>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether to try a route now. A `true` on an open route is the probe: report how it went. */
  admits(routeId: string): boolean {
    const health = this.#troubled.get(routeId);
    if (health === undefined || health.failures < FAILURES_TO_OPEN) return true;
    if (health.probing || this.#clock.elapsedMs() < health.openUntilMs) return false;
    health.probing = true;
    return true;
  }

  succeeded(routeId: string): void {
    if (this.#troubled.size > 0) this.#troubled.delete(routeId);
  }

  failed(routeId: string): void {
    const failures = (this.#troubled.get(routeId)?.failures ?? 0) + 1;
    const openUntilMs = this.#clock.elapsedMs() + OPEN_MS;
    this.#troubled.set(routeId, { failures, openUntilMs, probing: false });
  }

  /** The call ended without telling anything of the route (the client left). */
  undecided(routeId: string): void {
    const health = this.#troubled.get(routeId);
    if (health !== undefined) health.probing = false;
  }

  open(): string[] {
    return [...this.#troubled].filter(([, health]) => health.failures >= FAILURES_TO_OPEN).map(([id]) => id);
  }
}
