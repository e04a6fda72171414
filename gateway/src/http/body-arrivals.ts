/**
 * The large bodies that arrive at the moment. It lets them have turns, so that a few fast senders do not hold
 * the event loop, and it takes back the room of those whose sender has stopped: they keep what they sent.
 */
import type { Clock } from '../kernel/time.ts';

/** Looked through in one turn of the event loop; some milliseconds. */
const TURN_BYTES_MAX = 512 * 1024;
/** Whoever sends nothing for so long is not sending. */
const LOOK_MS = 1_000;

export interface ArrivingBody {
  resume(): void;
  /** Nothing came since the last look. */
  stalled(): void;
  /** Whether anything came since this was last asked. */
  moved(): boolean;
}

export class BodyArrivals {
  readonly #clock: Clock;
  readonly #arriving = new Set<ArrivingBody>();
  #paused: ArrivingBody[] = [];
  #turnBytes = 0;
  #turnEnds = false;
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
    this.#paused = this.#paused.filter((paused) => paused !== body);
    if (this.#arriving.size > 0) return;
    this.#stopLooking?.();
    this.#stopLooking = null;
  }

  runOnce(): void {
    for (const body of this.#arriving) if (!body.moved()) body.stalled();
  }

  /** False when the body should pause; it is resumed in a later turn. */
  came(body: ArrivingBody, bytes: number): boolean {
    this.#turnBytes += bytes;
    if (!this.#turnEnds) {
      this.#turnEnds = true;
      setImmediate(() => this.#nextTurn());
    }
    if (this.#turnBytes < TURN_BYTES_MAX) return true;
    this.#paused.push(body);
    return false;
  }

  #nextTurn(): void {
    this.#turnBytes = 0;
    this.#turnEnds = false;
    const paused = this.#paused;
    this.#paused = [];
    for (const [i, body] of paused.entries()) {
      // Each brings at least a chunk at once; the others wait for another turn, and come first then.
      if (this.#turnBytes < TURN_BYTES_MAX) body.resume();
      else {
        this.#paused.unshift(...paused.slice(i));
        break;
      }
    }
    if (this.#paused.length === 0 || this.#turnEnds) return;
    this.#turnEnds = true;
    setImmediate(() => this.#nextTurn());
  }
}
