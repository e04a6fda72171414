/** Yields to the event loop: long work runs in slices with this between them. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Runs its work once in the next event-loop turn, however often it is scheduled. The work must not throw. */
export class NextTurn {
  readonly #run: () => void;
  #isScheduled = false;

  constructor(work: () => void) {
    this.#run = () => {
      this.#isScheduled = false;
      work();
    };
  }

  schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#run);
  }
}
