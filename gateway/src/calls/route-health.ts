/**
 * Circuit breakers. A failure that the request itself may have caused (an error status, silence, a reset) opens the
 * breaker of its caller only, so that one caller cannot close a route for others. A failure that no request can cause
 * (no connection, invalid credentials of ours) opens the breaker of the route for everybody. An open breaker lets one
 * call through at intervals, as a probe.
 */
import type { Clock } from '../kernel/time.ts';

export const FAILURES_TO_OPEN = 5;
export const OPEN_MS = 10_000;
/** Number of callers that must fail in a row, with no success between, before the whole route is suspected. */
export const CALLERS_TO_SUSPECT = 4;
/** Number of caller breakers that are kept; the one with the oldest failure is dropped first. */
const CALLERS_MAX = 10_000;

/** `route`: any request would have failed. `request`: it may fail for this caller only. */
export type FailureCause = 'route' | 'request';

interface Breaker {
  failures: number;
  openUntilMs: number;
  probing: boolean;
}

interface Suspicion {
  /** At most CALLERS_TO_SUSPECT. */
  readonly callers: Set<string>;
  untilMs: number;
}

export class RouteHealth {
  readonly #clock: Clock;
  readonly #routes = new Map<string, Breaker>();
  readonly #callers = new Map<string, Breaker>();
  readonly #suspicions = new Map<string, Suspicion>();
  #down: (routeId: string) => void = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls the listener when a breaker opens for everybody, or a route begins to be suspected. */
  onDown(listener: (routeId: string) => void): void {
    this.#down = listener;
  }

  /** Whether to try a route now. True while a breaker is open makes the call its probe: its result must be reported. */
  allows(routeId: string, caller: string): boolean {
    // The usual case: no breaker exists.
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

  /** The provider answered and accepted our credentials, so the route is not broken for everybody. */
  reached(routeId: string): void {
    this.#routes.delete(routeId);
  }

  failed(routeId: string, caller: string, cause: FailureCause): void {
    if (cause === 'route') {
      count(this.#routes, routeId, this.#clock.elapsedMs());
      if (this.#routes.get(routeId)?.failures === FAILURES_TO_OPEN) this.#down(routeId);
      return;
    }
    count(this.#callers, keyOf(routeId, caller), this.#clock.elapsedMs());
    const [oldest] = this.#callers.keys();
    if (this.#callers.size > CALLERS_MAX && oldest !== undefined) this.#callers.delete(oldest);
    this.#suspect(routeId, caller);
  }

  /** The call ended without a result for the route, for example because the client disconnected. */
  undecided(routeId: string, caller: string): void {
    const breakers = [this.#routes.get(routeId), this.#callers.get(keyOf(routeId, caller))];
    for (const breaker of breakers) {
      if (!breaker?.probing) continue;
      breaker.probing = false;
      breaker.openUntilMs = this.#clock.elapsedMs();
    }
  }

  /** Of routes that are suspected (1) or closed for everybody (2); all others work. */
  states(): Map<string, 1 | 2> {
    const states = new Map<string, 1 | 2>();
    const nowMs = this.#clock.elapsedMs();
    for (const id of this.#suspicions.keys()) if (this.#suspected(id, nowMs)) states.set(id, 1);
    for (const [id, route] of this.#routes) if (isOpen(route, FAILURES_TO_OPEN)) states.set(id, 2);
    return states;
  }

  /** Routes whose breaker is open for everybody, and suspected ones. */
  open(): string[] {
    return [...this.states().keys()];
  }

  /** Number of callers whose own breaker is open. */
  heldBack(): number {
    let held = 0;
    for (const breaker of this.#callers.values()) if (isOpen(breaker, FAILURES_TO_OPEN)) held++;
    return held;
  }

  /** While a route is suspected, one failure opens the breaker of a caller. */
  #suspect(routeId: string, caller: string): void {
    const { callers } = this.#suspicions.get(routeId) ?? { callers: new Set<string>() };
    const before = callers.size;
    if (before < CALLERS_TO_SUSPECT) callers.add(caller);
    if (before < CALLERS_TO_SUSPECT && callers.size === CALLERS_TO_SUSPECT) this.#down(routeId);
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

/** If the probe never reports, another one follows after OPEN_MS. */
function probe(breaker: Breaker, nowMs: number): void {
  breaker.probing = true;
  breaker.openUntilMs = nowMs + OPEN_MS;
}

/** Moves the breaker to the end, so that the first one is the oldest. */
function count(breakers: Map<string, Breaker>, key: string, nowMs: number): void {
  const failures = (breakers.get(key)?.failures ?? 0) + 1;
  breakers.delete(key);
  breakers.set(key, { failures, openUntilMs: nowMs + OPEN_MS, probing: false });
}
