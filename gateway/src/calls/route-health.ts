/**
 * Circuit breakers. A failure that the request may have caused (an error status, silence, a reset) counts
 * against the route for its caller alone, so that nobody's requests close a route for others. What no request
 * can cause (no connection, our own credentials refused) closes it for everybody. An open breaker lets one
 * call through every so often to see whether the route works again.
 */
import type { Clock } from '../kernel/time.ts';

export const FAILURES_TO_OPEN = 5;
export const OPEN_MS = 10_000;
/** Failing callers in a row, and no success of anybody, before a route is suspected of being broken for all. */
export const CALLERS_TO_SUSPECT = 4;
/** Breakers of callers that are kept; the one that failed longest ago is forgotten first. */
const CALLERS_MAX = 10_000;

/** `route`: whoever had asked, it would have failed. `request`: it may fail for this caller only. */
export type FailureCause = 'route' | 'request';

interface Breaker {
  failures: number;
  openUntilMs: number;
  probing: boolean;
}

interface Suspicion {
  /** At most as many as are needed. */
  readonly callers: Set<string>;
  untilMs: number;
}

export class RouteHealth {
  readonly #clock: Clock;
  readonly #routes = new Map<string, Breaker>();
  readonly #callers = new Map<string, Breaker>();
  readonly #suspicions = new Map<string, Suspicion>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether to try a route now. A `true` while a breaker is open is its probe: report how it went. */
  allows(routeId: string, caller: string): boolean {
    // Nearly always nothing is wrong.
    if (this.#routes.size === 0 && this.#callers.size === 0) return true;
    const nowMs = this.#clock.elapsedMs();
    const route = this.#routes.get(routeId);
    const own = this.#callers.get(keyOf(routeId, caller));
    const routeOpen = isOpen(route, FAILURES_TO_OPEN);
    const ownOpen = isOpen(own, this.#suspected(routeId, nowMs) ? 1 : FAILURES_TO_OPEN);
    if ((routeOpen && nowMs < route.openUntilMs) || (ownOpen && nowMs < own.openUntilMs)) return false;
    if (routeOpen) probe(route, nowMs);
    if (ownOpen) probe(own, nowMs);
    return true;
  }

  succeeded(routeId: string, caller: string): void {
    if (this.#routes.size === 0 && this.#callers.size === 0) return;
    this.reached(routeId);
    this.#callers.delete(keyOf(routeId, caller));
    this.#suspicions.delete(routeId);
  }

  /** There was an answer, and our credentials were good: whatever it says, the route is not closed for all. */
  reached(routeId: string): void {
    this.#routes.delete(routeId);
  }

  failed(routeId: string, caller: string, cause: FailureCause): void {
    if (cause === 'route') {
      count(this.#routes, routeId, this.#clock.elapsedMs());
      return;
    }
    count(this.#callers, keyOf(routeId, caller), this.#clock.elapsedMs());
    const [oldest] = this.#callers.keys();
    if (this.#callers.size > CALLERS_MAX && oldest !== undefined) this.#callers.delete(oldest);
    this.#suspect(routeId, caller);
  }

  /** The call ended without telling anything of the route (the client left). */
  undecided(routeId: string, caller: string): void {
    const breakers = [this.#routes.get(routeId), this.#callers.get(keyOf(routeId, caller))];
    for (const breaker of breakers) {
      if (!breaker?.probing) continue;
      breaker.probing = false;
      breaker.openUntilMs = this.#clock.elapsedMs();
    }
  }

  /** Routes that are closed for everybody, or suspected. */
  open(): string[] {
    const nowMs = this.#clock.elapsedMs();
    const closed = [...this.#routes].flatMap(([id, route]) => (isOpen(route, FAILURES_TO_OPEN) ? [id] : []));
    const suspected = [...this.#suspicions.keys()].filter((id) => this.#suspected(id, nowMs));
    return [...new Set([...closed, ...suspected])];
  }

  /** How many callers are kept from a route because of their own failures. */
  heldBack(): number {
    let held = 0;
    for (const breaker of this.#callers.values()) if (isOpen(breaker, FAILURES_TO_OPEN)) held++;
    return held;
  }

  /** Where several callers fail and nobody succeeds, one failure is enough to keep a caller away. */
  #suspect(routeId: string, caller: string): void {
    const { callers } = this.#suspicions.get(routeId) ?? { callers: new Set<string>() };
    if (callers.size < CALLERS_TO_SUSPECT) callers.add(caller);
    this.#suspicions.set(routeId, { callers, untilMs: this.#clock.elapsedMs() + OPEN_MS });
  }

  #suspected(routeId: string, nowMs: number): boolean {
    const suspicion = this.#suspicions.get(routeId);
    if (suspicion === undefined) return false;
    return suspicion.callers.size >= CALLERS_TO_SUSPECT && nowMs < suspicion.untilMs;
  }
}

function keyOf(routeId: string, caller: string): string {
  return `${caller} ${routeId}`;
}

function isOpen(breaker: Breaker | undefined, failuresToOpen: number): breaker is Breaker {
  return breaker !== undefined && breaker.failures >= failuresToOpen;
}

/** A probe that never reports back is followed by another one. */
function probe(breaker: Breaker, nowMs: number): void {
  breaker.probing = true;
  breaker.openUntilMs = nowMs + OPEN_MS;
}

/** The one counted last stands last, so that the first is the oldest. */
function count(breakers: Map<string, Breaker>, key: string, nowMs: number): void {
  const failures = (breakers.get(key)?.failures ?? 0) + 1;
  breakers.delete(key);
  breakers.set(key, { failures, openUntilMs: nowMs + OPEN_MS, probing: false });
}
