/**
 * The large bodies that arrive at the moment. It lets them have turns, so that a few fast senders do not hold
 * the event loop, and it takes back the room of those whose sender has stopped: they keep what they sent.
 */
import { ByteTurns, type PausedReader } from '../kernel/byte-turns.ts';
import type { Clock } from '../kernel/time.ts';

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
  readonly #turns = new ByteTurns();
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
    this.#turns.remove(body);
    if (this.#arriving.size > 0) return;
    this.#stopLooking?.();
    this.#stopLooking = null;
  }

  runOnce(): void {
    for (const body of this.#arriving) if (!body.moved()) body.stalled();
  }

  /** False when the body should pause; it is resumed in a later turn. */
  came(body: ArrivingBody, bytes: number): boolean {
    return this.#turns.came(body, bytes);
  }
}
