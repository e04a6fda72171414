/**
 * How many calls of this process each route has, and how long it takes to answer. Counted only for routes with
 * `concurrency_max` and for models with a strategy that needs it. Calls beyond `concurrency_max` wait in a queue that
 * serves spaces round robin, so that one space with many calls does not keep others waiting.
 */
import type { Model, UpstreamRoute } from '../catalog/model.ts';
import type { Cancellation } from '../kernel/cancellation.ts';
import { FairLanes } from '../kernel/fair-lanes.ts';
import type { Clock } from '../kernel/time.ts';

export interface RouteQueueLimits {
  /** Calls that wait for one route. */
  readonly waitingMax: number;
  readonly waitMs: number;
}

/** The call no longer uses the route; to be called once. */
export type LeaveRoute = () => void;

/** Calls that gave up are removed when the queue has this many times its limit. */
const STALE_TIMES = 2;
/** The share of the latest answer in the average. */
const LATEST_SHARE = 0.2;
/** An older measurement says nothing: the route gets a call to measure it again. */
const FRESH_MS = 30_000;

interface Waiter {
  readonly caller: string;
  /** Null: it waits no longer. */
  enter: ((leave: LeaveRoute | null) => void) | null;
}

interface Load {
  inFlight: number;
  averageMs: number | null;
  measuredMs: number;
  /** Of the waiting calls, including those that gave up but were not removed yet. */
  readonly waiting: FairLanes<Waiter>;
  waitingCount: number;
}

export class RouteLoad {
  readonly #clock: Clock;
  readonly #limits: RouteQueueLimits;
  readonly #loads = new Map<string, Load>();

  constructor(clock: Clock, limits: RouteQueueLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  static counts(route: UpstreamRoute, { strategy = 'sticky' }: Pick<Model, 'strategy'>): boolean {
    return route.concurrencyMax !== undefined || strategy !== 'sticky';
  }

  inFlight(routeId: string): number {
    return this.#loads.get(routeId)?.inFlight ?? 0;
  }

  /** Calls that wait for a route, of all routes. */
  waiting(): number {
    let waiting = 0;
    for (const load of this.#loads.values()) waiting += load.waitingCount;
    return waiting;
  }

  /** The average until an answer begins; null if there is no fresh measurement. */
  latencyMs(routeId: string): number | null {
    const load = this.#loads.get(routeId);
    if (load === undefined || this.#clock.elapsedMs() - load.measuredMs > FRESH_MS) return null;
    return load.averageMs;
  }

  answered(routeId: string, ms: number): void {
    const load = this.#load(routeId);
    load.averageMs = load.averageMs === null ? ms : load.averageMs + (ms - load.averageMs) * LATEST_SHARE;
    load.measuredMs = this.#clock.elapsedMs();
  }

  /** Null: the route is full, and so is its queue, or the wait was too long. */
  enter(
    { id, concurrencyMax = Number.POSITIVE_INFINITY }: UpstreamRoute,
    caller: string,
    cancellation: Cancellation,
  ): LeaveRoute | null | Promise<LeaveRoute | null> {
    const load = this.#load(id);
    if (load.inFlight < concurrencyMax) return this.#take(load);
    if (load.waitingCount >= this.#limits.waitingMax && !makeRoom(load, caller)) return null;
    return this.#wait(load, caller, cancellation);
  }

  #wait(load: Load, caller: string, cancellation: Cancellation): Promise<LeaveRoute | null> {
    return new Promise((resolve) => {
      const waiter: Waiter = {
        caller,
        enter: (leave) => {
          waiter.enter = null;
          load.waitingCount--;
          cancelTimer();
          cancellation.onCancel(null);
          resolve(leave);
        },
      };
      if (load.waiting.size > STALE_TIMES * this.#limits.waitingMax) removeStale(load);
      load.waiting.add(caller, waiter);
      load.waitingCount++;
      const giveUp = (): void => waiter.enter?.(null);
      const cancelTimer = this.#clock.after(this.#limits.waitMs, giveUp);
      cancellation.onCancel(giveUp);
    });
  }

  #take(load: Load): LeaveRoute {
    load.inFlight++;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      load.inFlight--;
      this.#next(load);
    };
  }

  /** The place goes to the next call that still waits. */
  #next(load: Load): void {
    for (let waiter = load.waiting.take(); waiter !== undefined; waiter = load.waiting.take()) {
      if (waiter.enter === null) continue;
      waiter.enter(this.#take(load));
      return;
    }
  }

  #load(routeId: string): Load {
    let load = this.#loads.get(routeId);
    if (load === undefined) {
      load = { inFlight: 0, averageMs: null, measuredMs: 0, waiting: new FairLanes(), waitingCount: 0 };
      this.#loads.set(routeId, load);
    }
    return load;
  }
}

/**
 * In a full queue, a space with fewer calls takes the place of the latest call of the space with the most. So one space
 * cannot keep others out by filling the queue. False: the caller's space has as many as any other.
 */
function makeRoom({ waiting }: Load, caller: string): boolean {
  const waiters = waiting.waiting().filter(({ enter }) => enter !== null);
  const counts = new Map<string, number>();
  for (const waiter of waiters) counts.set(waiter.caller, (counts.get(waiter.caller) ?? 0) + 1);
  const [most, count] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a), ['', 0]);
  if (count <= (counts.get(caller) ?? 0) + 1) return false;
  waiters.findLast((waiter) => waiter.caller === most)?.enter?.(null);
  return true;
}

function removeStale({ waiting }: Load): void {
  const all = waiting.waiting();
  waiting.clear();
  for (const waiter of all) if (waiter.enter !== null) waiting.add(waiter.caller, waiter);
}
