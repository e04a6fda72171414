/**
 * The large bodies that are being received. It spreads their reading over event-loop turns, so that a few fast senders
 * do not block the event loop, and releases the unused reservation of bodies whose sender has stalled.
 */

import { type Listed, LiveList } from '../kernel/live-list.ts';
import type { Clock } from '../kernel/time.ts';
import { type PausedReader, TurnBudget } from '../kernel/turn-budget.ts';

/** A sender that sends nothing for this long has stalled. */
const CHECK_MS = 1_000;

export interface ArrivingBody extends PausedReader, Listed {
  /** Nothing was received since the last check. */
  stalled(): void;
  /** Whether anything was received since the last call. */
  progressed(): boolean;
}

export class BodyArrivals {
  readonly #clock: Clock;
  readonly #arriving = new LiveList<ArrivingBody>();
  readonly #budget = new TurnBudget();
  #cancelTimer: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(body: ArrivingBody): void {
    this.#arriving.add(body);
    this.#cancelTimer ??= this.#clock.every(CHECK_MS, () => this.runOnce());
  }

  remove(body: ArrivingBody): void {
    this.#arriving.remove(body);
    this.#budget.remove(body);
    if (this.#arriving.size > 0) return;
    this.#cancelTimer?.();
    this.#cancelTimer = null;
  }

  runOnce(): void {
    this.#arriving.forEach((body) => {
      if (!body.progressed()) body.stalled();
    });
  }

  /** False if the body has to pause; it is resumed in a later event-loop turn. */
  received(body: PausedReader, bytes: number): boolean {
    return this.#budget.spend(body, bytes);
  }
}
