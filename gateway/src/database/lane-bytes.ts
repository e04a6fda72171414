/** Limits the bytes that wait in lanes: a lane may use as much as is still free, so one that was idle always finds room. */
export class LaneBytes {
  readonly #bytesMax: number;
  /** Of lanes in which something waits. */
  readonly #lanes = new Map<string, number>();
  #total = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** False if there is no room. The only row of a lane may be as large as it needs to be. */
  take(lane: string, bytes: number): boolean {
    const own = this.#lanes.get(lane);
    if (own !== undefined && own + bytes > this.#bytesMax - this.#total) return false;
    this.put(lane, bytes);
    return true;
  }

  /** Of rows that were accepted elsewhere, whether there is room or not. */
  put(lane: string, bytes: number): void {
    this.#lanes.set(lane, (this.#lanes.get(lane) ?? 0) + bytes);
    this.#total += bytes;
  }

  giveBack(lane: string, bytes: number): void {
    const rest = (this.#lanes.get(lane) ?? 0) - bytes;
    if (rest > 0) this.#lanes.set(lane, rest);
    else this.#lanes.delete(lane);
    this.#total -= bytes;
  }

  clear(): void {
    this.#lanes.clear();
    this.#total = 0;
  }
}
