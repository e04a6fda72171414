/** Runs work one after the other. What fails does not stop what follows. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}

/** The same for each name by itself. */
export class NamedTurns {
  readonly #waiting = new Map<string, { readonly turns: Turns; count: number }>();

  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const waiting = this.#waiting.get(name) ?? { turns: new Turns(), count: 0 };
    this.#waiting.set(name, waiting);
    waiting.count++;
    try {
      return await waiting.turns.run(work);
    } finally {
      waiting.count--;
      if (waiting.count === 0) this.#waiting.delete(name);
    }
  }
}
