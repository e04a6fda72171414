/**
 * A queue with one lane per name, such as a space, served round robin: a lane with hundreds of items delays another
 * lane by one item. Adding and taking take constant time, and taken items are released.
 */
export class FairLanes<Item> {
  readonly #lanes = new Map<string, Lane<Item>>();
  /** Lanes that have items, the next one first. */
  #order: Array<Lane<Item>> = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(name: string, item: Item): void {
    let lane = this.#lanes.get(name);
    if (lane === undefined) {
      lane = new Lane(name);
      this.#lanes.set(name, lane);
      this.#order.push(lane);
    }
    lane.items.push(item);
    this.#size++;
  }

  /** The next item; undefined if there is none. */
  take(): Item | undefined {
    const lane = this.#order.shift();
    return lane === undefined ? undefined : this.#takeFrom(lane);
  }

  /**
   * Takes one item of each lane in turn as long as `accepts` returns true. A lane whose next item is not accepted is
   * skipped, and is among the first next time.
   */
  takeWhile(accepts: (item: Item) => boolean): Item[] {
    const taken: Item[] = [];
    const skipped: Array<Lane<Item>> = [];
    for (let lane = this.#order.shift(); lane !== undefined; lane = this.#order.shift()) {
      if (accepts(lane.next)) taken.push(this.#takeFrom(lane));
      else skipped.push(lane);
    }
    this.#order = skipped;
    return taken;
  }

  /** All items, lane by lane; they stay in the queue. */
  waiting(): Item[] {
    return this.#order.flatMap((lane) => lane.items.slice(lane.taken));
  }

  clear(): void {
    this.#lanes.clear();
    this.#order = [];
    this.#size = 0;
  }

  /** The lane must not be in `#order`; it goes to its end if it has more items. */
  #takeFrom(lane: Lane<Item>): Item {
    const item = lane.take();
    this.#size--;
    if (lane.taken < lane.items.length) this.#order.push(lane);
    else this.#lanes.delete(lane.name);
    return item;
  }
}

/** Taken items are dropped from the list now and then, so that a long lane does not keep them. */
const TAKEN_MAX = 64;

class Lane<Item> {
  readonly name: string;
  items: Item[] = [];
  /** How many of `items` are taken already. */
  taken = 0;

  constructor(name: string) {
    this.name = name;
  }

  get next(): Item {
    return this.items[this.taken] as Item;
  }

  take(): Item {
    const item = this.next;
    this.taken++;
    if (this.taken >= TAKEN_MAX && this.taken * 2 >= this.items.length) {
      this.items = this.items.slice(this.taken);
      this.taken = 0;
    }
    return item;
  }
}
