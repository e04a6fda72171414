/**
 * A set of objects that come and go thousands of times a second. A `Set` would keep dead ones alive: when many of its
 * entries were deleted, V8 moves the others to a new table, and the old one keeps its entries and refers to the new one.
 * One old table in the old generation is enough to keep all that follow, with everything that was in them, until the next
 * full collection (docs/decisions/0063-calls-die-young.md).
 */
export interface Listed {
  /** Its place in the list; -1 if it is in none. Only the list sets it. */
  place: number;
}

export class LiveList<Item extends Listed> {
  readonly #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** Must not be in a list. */
  add(item: Item): void {
    item.place = this.#items.length;
    this.#items.push(item);
  }

  /** Does nothing if it is in no list. */
  remove(item: Item): void {
    const { place } = item;
    if (place < 0) return;
    item.place = -1;
    const last = this.#items.pop() as Item;
    if (last === item) return;
    this.#items[place] = last;
    last.place = place;
  }

  /** The visitor may remove any of them; one that was there all the time is visited at least once. */
  forEach(visit: (item: Item) => void): void {
    for (let place = this.#items.length - 1; place >= 0; place--) {
      const item = this.#items[place];
      if (item !== undefined) visit(item);
    }
  }
}
