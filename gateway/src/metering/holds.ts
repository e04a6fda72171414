/** Units that running calls of this process may cost. They count as spent while they are held; nothing of it is written. */
import { addUnits, subtractUnits, type Units, ZERO } from '../kernel/units.ts';

/** What one call may cost at most. It is ended once; what comes after that has no effect. */
export interface Hold {
  /** The call costs this much, which is durable. */
  settle(cost: Units): void;
  /** It costs nothing, or nobody knows how much. */
  release(): void;
}

export class Holds {
  readonly #units = new Map<string, Units>();

  /** What is held of the units or the limit with this id. */
  of(id: string): Units {
    return this.#units.get(id) ?? ZERO;
  }

  open(ids: readonly string[], amount: Units, settled: (cost: Units) => void): Hold {
    for (const id of ids) this.#units.set(id, addUnits(this.of(id), amount));
    let isOpen = true;
    const release = (): void => {
      if (!isOpen) return;
      isOpen = false;
      for (const id of ids) this.#take(id, amount);
    };
    const settle = (cost: Units): void => {
      if (isOpen) settled(cost);
      release();
    };
    return { settle, release };
  }

  #take(id: string, amount: Units): void {
    const rest = subtractUnits(this.of(id), amount);
    if (rest === ZERO) this.#units.delete(id);
    else this.#units.set(id, rest);
  }
}
