/** Where the first call of something can be made to wait, until a test lets it go. */
import type { Reply } from './reply.ts';

const LOOK_MS = 5;

export class Holds<Point extends string> {
  /** Where somebody waits or waited; true once they are let go. */
  readonly #holds = new Map<string, boolean>();

  /** The first to come there waits until it is let go. False: it left before. */
  async wait(point: Point, { key, reply }: { key: string; reply: Reply }): Promise<boolean> {
    const hold = `${point} ${key}`;
    if (this.#holds.has(hold)) return true;
    this.#holds.set(hold, false);
    while (this.#holds.get(hold) === false && !reply.gone) await reply.wait(LOOK_MS);
    return this.#holds.get(hold) === true;
  }

  /** How many wait there now, or left while they did. */
  held(point: Point): number {
    return [...this.#holds].filter(([hold, free]) => !free && hold.startsWith(`${point} `)).length;
  }

  /** Those that left are no longer counted; who comes after them is not held. */
  forget(): void {
    for (const hold of this.#holds.keys()) this.#holds.set(hold, true);
  }

  /** Lets those go that wait there now. */
  release(point: Point): void {
    for (const hold of this.#holds.keys()) if (hold.startsWith(`${point} `)) this.#holds.set(hold, true);
  }
}
