/**
 * Schedules expensive steps fairly when hundreds arrive at once: requests that start, and streams whose callers
 * disconnect. Each event-loop turn runs a few of them, so that turns stay short. The rest wait in one lane per
 * space, and the lanes are served round robin: 500 calls of one space delay a call of another space very little.
 */
import { FairLanes } from '../kernel/fair-lanes.ts';
import { NextTurn } from '../kernel/next-turn.ts';

/** One step costs about 0.3 ms. */
const STEPS_PER_TURN = 4;

export class FairQueue {
  readonly #waiting = new FairLanes<() => void>();
  #left = STEPS_PER_TURN;
  readonly #nextTurn = new NextTurn(() => this.#runSome());

  /** Runs the step now if nothing is waiting, otherwise in a later event-loop turn. The step must not throw. */
  run(lane: string, step: () => void): void {
    this.#nextTurn.schedule();
    if (this.#waiting.size > 0 || this.#left === 0) {
      this.#waiting.add(lane, step);
      return;
    }
    this.#left--;
    step();
  }

  #runSome(): void {
    this.#left = STEPS_PER_TURN;
    while (this.#left > 0) {
      const step = this.#waiting.take();
      if (step === undefined) return;
      this.#left--;
      step();
    }
    this.#nextTurn.schedule();
  }
}
