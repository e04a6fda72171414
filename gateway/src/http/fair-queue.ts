/**
 * Schedules expensive steps fairly when hundreds arrive at once: requests that start, and streams whose callers
 * disconnect. Each event-loop turn runs a few of them, so that turns stay short. The rest wait in one lane per
 * space, and the lanes are served round robin: 500 calls of one space delay a call of another space very little.
 */
import { NextTurn } from '../kernel/next-turn.ts';

/** One step costs about 0.3 ms. */
const STEPS_PER_TURN = 4;

interface Lane {
  readonly name: string;
  readonly waiting: Array<() => void>;
}

export class FairQueue {
  readonly #lanes = new Map<string, Lane>();
  /** Lanes with waiting steps, the next one first. */
  readonly #order: Lane[] = [];
  #left = STEPS_PER_TURN;
  readonly #nextTurn = new NextTurn(() => this.#runSome());

  /** Runs the step now if nothing is waiting, otherwise in a later event-loop turn. The step must not throw. */
  run(lane: string, step: () => void): void {
    this.#nextTurn.schedule();
    if (this.#order.length > 0 || this.#left === 0) {
      this.#enqueue(lane, step);
      return;
    }
    this.#left--;
    step();
  }

  #enqueue(name: string, step: () => void): void {
    let lane = this.#lanes.get(name);
    if (lane === undefined) {
      lane = { name, waiting: [] };
      this.#lanes.set(name, lane);
      this.#order.push(lane);
    }
    lane.waiting.push(step);
  }

  #runSome(): void {
    this.#left = STEPS_PER_TURN;
    while (this.#left > 0) {
      const lane = this.#order.shift();
      if (lane === undefined) return;
      this.#left--;
      const step = lane.waiting.shift() as () => void;
      if (lane.waiting.length > 0) this.#order.push(lane);
      else this.#lanes.delete(lane.name);
      step();
    }
    this.#nextTurn.schedule();
  }
}
