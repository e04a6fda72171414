/** A queue ordered by deadline: earliest first, and first come first served among equal deadlines. */
export interface Queued {
  readonly dueMs: number;
}

export class DeadlineQueue<Item extends Queued> {
  readonly #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  add(item: Item): void {
    this.#items.splice(this.#firstAfter(item.dueMs), 0, item);
  }

  first(): Item | undefined {
    return this.#items[0];
  }

  shift(): Item | undefined {
    return this.#items.shift();
  }

  remove(item: Item): void {
    const at = this.#items.indexOf(item);
    if (at >= 0) this.#items.splice(at, 1);
  }

  [Symbol.iterator](): IterableIterator<Item> {
    return this.#items[Symbol.iterator]();
  }

  #firstAfter(dueMs: number): number {
    let low = 0;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#items[middle] as Item).dueMs <= dueMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
