/** Simulated time: what happens next, in order. */
export class EventQueue {
  readonly #heap: Array<{ readonly atUs: number; readonly order: number; readonly run: () => void }> = [];
  #order = 0;
  nowUs = 0;

  after(delayUs: number, run: () => void): void {
    const event = { atUs: this.nowUs + delayUs, order: this.#order++, run };
    let place = this.#heap.push(event) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!this.#isBefore(place, parent)) break;
      this.#swap(place, parent);
      place = parent;
    }
  }

  /** Runs the next event. */
  step(): void {
    const [first] = this.#heap;
    const last = this.#heap.pop();
    if (first === undefined || last === undefined) throw new Error('nothing is left to happen');
    if (this.#heap.length > 0) {
      this.#heap[0] = last;
      this.#sink();
    }
    this.nowUs = first.atUs;
    first.run();
  }

  #sink(): void {
    let place = 0;
    for (;;) {
      const [left, right] = [place * 2 + 1, place * 2 + 2];
      let least = place;
      if (left < this.#heap.length && this.#isBefore(left, least)) least = left;
      if (right < this.#heap.length && this.#isBefore(right, least)) least = right;
      if (least === place) return;
      this.#swap(place, least);
      place = least;
    }
  }

  /** Events of the same time happen in the order in which they were added. */
  #isBefore(a: number, b: number): boolean {
    const [one, other] = [this.#heap[a], this.#heap[b]] as [
      { atUs: number; order: number },
      { atUs: number; order: number },
    ];
    return one.atUs < other.atUs || (one.atUs === other.atUs && one.order < other.order);
  }

  #swap(a: number, b: number): void {
    const heap = this.#heap;
    [heap[a], heap[b]] = [heap[b] as (typeof heap)[number], heap[a] as (typeof heap)[number]];
  }
}

/** Numbers that look random and are the same for the same seed (xorshift). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** A whole number from 0 to one less than `limit`. */
  below(limit: number): number {
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state;
    return Math.floor(((state >>> 0) / 2 ** 32) * limit);
  }
}
