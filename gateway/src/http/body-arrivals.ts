/**
 * The large bodies that arrive at the moment. It lets them have turns, so that a few fast senders do not hold
 * the event loop, and it takes back the room of those whose sender has stopped: they keep what they sent.
 */

import type { Clock } from '../kernel/time.ts';
import { type PausedReader, TurnBudget } from '../kernel/turn-budget.ts';

/** Whoever sends nothing for so long is not sending. */
const LOOK_MS = 1_000;

export interface ArrivingBody extends PausedReader {
  /** Nothing came since the last look. */
  stalled(): void;
  /** Whether anything came since this was last asked. */
  moved(): boolean;
}

export class BodyArrivals {
  readonly #clock: Clock;
  readonly #arriving = new Set<ArrivingBody>();
  readonly #budget = new TurnBudget();
  #stopLooking: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(body: ArrivingBody): void {
    this.#arriving.add(body);
    this.#stopLooking ??= this.#clock.every(LOOK_MS, () => this.runOnce());
  }

  remove(body: ArrivingBody): void {
    this.#arriving.delete(body);
    this.#budget.remove(body);
    if (this.#arriving.size > 0) return;
    this.#stopLooking?.();
    this.#stopLooking = null;
  }

  runOnce(): void {
    for (const body of this.#arriving) if (!body.moved()) body.stalled();
  }

  /** False when the body should pause; it is resumed in a later turn. */
  came(body: ArrivingBody, bytes: number): boolean {
    return this.#budget.spend(body, bytes);
  }
}
