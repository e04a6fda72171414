/**
 * Limits how many bytes of large bodies one event-loop turn processes. When the budget of a turn is spent, readers
 * pause and continue in later turns, two per turn, so that fast senders do not block the event loop.
 */
import { KIB } from './bytes.ts';
import { NextTurn } from './next-turn.ts';

/** About a millisecond of work. */
const TURN_BYTES_MAX = 128 * KIB;
/**
 * Each delivers up to 64 KiB before it can pause again. Resuming one lowers the p99 of other callers by some 4 ms, but
 * the process then keeps 80 MiB after the load.
 */
const READERS_PER_TURN = 2;

export interface PausedReader {
  resume(): void;
}

export class TurnBudget {
  #paused: PausedReader[] = [];
  #bytes = 0;
  readonly #nextTurn = new NextTurn(() => this.#resumeSome());

  /** Returns false if the reader has to pause; it is resumed in a later turn. */
  spend(reader: PausedReader, bytes: number): boolean {
    this.#bytes += bytes;
    this.#nextTurn.schedule();
    if (this.#bytes < TURN_BYTES_MAX) return true;
    this.#paused.push(reader);
    return false;
  }

  /** The same for a loop that awaits its next turn. */
  async spendOrWait(bytes: number): Promise<void> {
    await new Promise<void>((resume) => {
      if (this.spend({ resume }, bytes)) resume();
    });
  }

  /** Forgets a reader that has finished. */
  remove(reader: PausedReader): void {
    if (this.#paused.includes(reader)) this.#paused = this.#paused.filter((paused) => paused !== reader);
  }

  #resumeSome(): void {
    this.#bytes = 0;
    for (const reader of this.#paused.splice(0, READERS_PER_TURN)) reader.resume();
    if (this.#paused.length > 0) this.#nextTurn.schedule();
  }
}
