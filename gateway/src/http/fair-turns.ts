/**
 * Who goes first when very many requests come at once, or very many callers leave. A few are served in each turn
 * of the event loop, so that turns stay short and whatever is under way goes on; the rest wait in lanes, one for
 * each space, which are served one after the other. So five hundred calls of one space delay a call of another
 * by little.
 */

/** Each costs some 0.3 ms until its call is on its way. */
const SERVED_PER_TURN = 4;

interface Lane {
  readonly name: string;
  readonly waiting: Array<() => void>;
  served: number;
}

export class FairTurns {
  readonly #lanes = new Map<string, Lane>();
  /** Lanes in which somebody waits, the next one first. */
  readonly #order: Lane[] = [];
  #left = SERVED_PER_TURN;
  #isNextSet = false;

  /** `serve` must not throw. It is called at once where nobody is before it. */
  take(lane: string, serve: () => void): void {
    this.#setNext();
    if (this.#order.length > 0 || this.#left === 0) {
      this.#enqueue(lane, serve);
      return;
    }
    this.#left--;
    serve();
  }

  #enqueue(name: string, serve: () => void): void {
    let lane = this.#lanes.get(name);
    if (lane === undefined) {
      lane = { name, waiting: [], served: 0 };
      this.#lanes.set(name, lane);
      this.#order.push(lane);
    }
    lane.waiting.push(serve);
  }

  #setNext(): void {
    if (this.#isNextSet) return;
    this.#isNextSet = true;
    setImmediate(this.#next);
  }

  readonly #next = (): void => {
    this.#isNextSet = false;
    this.#left = SERVED_PER_TURN;
    while (this.#left > 0) {
      const lane = this.#order.shift();
      if (lane === undefined) return;
      this.#left--;
      const serve = lane.waiting[lane.served++] as () => void;
      if (lane.served < lane.waiting.length) this.#order.push(lane);
      else this.#lanes.delete(lane.name);
      serve();
    }
    this.#setNext();
  };
}
