/**
 * Lets large bodies have turns, so that a few fast senders do not hold the event loop: in each turn a few of
 * them bring a chunk, and the others wait for theirs.
 */

/** Looked through in one turn of the event loop; about a millisecond. */
const TURN_BYTES_MAX = 128 * 1024;
/** Each brings up to 64 KiB before it can be paused again. */
const READERS_PER_TURN = 2;

export interface PausedReader {
  resume(): void;
}

export class ByteTurns {
  #paused: PausedReader[] = [];
  #bytes = 0;
  #isNextSet = false;

  /** False when the reader should pause; it is resumed in a later turn. */
  came(reader: PausedReader, bytes: number): boolean {
    this.#bytes += bytes;
    this.#setNext();
    if (this.#bytes < TURN_BYTES_MAX) return true;
    this.#paused.push(reader);
    return false;
  }

  /** The same for work that waits by itself. */
  async pass(bytes: number): Promise<void> {
    await new Promise<void>((resume) => {
      if (this.came({ resume }, bytes)) resume();
    });
  }

  /** For one that reads no more. */
  remove(reader: PausedReader): void {
    if (this.#paused.includes(reader)) this.#paused = this.#paused.filter((paused) => paused !== reader);
  }

  #setNext(): void {
    if (this.#isNextSet) return;
    this.#isNextSet = true;
    setImmediate(this.#next);
  }

  readonly #next = (): void => {
    this.#isNextSet = false;
    this.#bytes = 0;
    for (const reader of this.#paused.splice(0, READERS_PER_TURN)) reader.resume();
    if (this.#paused.length > 0) this.#setNext();
  };
}
