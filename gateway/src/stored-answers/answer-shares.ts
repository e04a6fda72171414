/**
 * Counts the bytes of running answers that only memory has: their events are stored a moment later, and are then no longer
 * held. A space may hold as much as is still free, and a key as much as is still free of its space. The stream of an answer
 * beyond that waits until its events are stored. An answer is given up only for what its own key or space holds, so no space
 * can take away the repeats of another.
 */
import type { ByteLease } from '../memory/byte-budget.ts';

/** Of all running answers of the process; beyond it, streams wait. */
export const HELD_BYTES_MAX = 64 * 1024 * 1024;
/** An answer that holds no more than this never waits. */
export const SMALL_BYTES = 64 * 1024;
/** Of the answers of one key and of one space; beyond it, an answer is not kept. */
export const KEY_BYTES_MAX = HELD_BYTES_MAX;
export const SPACE_BYTES_MAX = 2 * KEY_BYTES_MAX;

/** Where the bytes of one answer are counted. */
export interface AnswerMemory {
  /** False: its key or space holds too much that could not be stored, and the answer is not kept. */
  take(bytes: number): boolean;
  giveBack(bytes: number): void;
  /** Whether its key or its space holds more than its share. */
  readonly isFull: boolean;
  /** Gives everything back. May be called twice. */
  close(): void;
}

interface Share {
  held: number;
  answers: number;
}

export class AnswerShares {
  readonly #spaces = new Map<string, Share>();
  readonly #keys = new Map<string, Share>();
  held = 0;

  /** For one answer; the caller must close it. `lease`: the same bytes count in the budget of all calls. */
  open(lease: Pick<ByteLease, 'owner' | 'add' | 'giveBack'>): AnswerMemory {
    const { spaceId, keyId } = lease.owner;
    const [space, key] = [share(this.#spaces, spaceId), share(this.#keys, keyId)];
    let own = 0;
    let closed = false;
    const count = (bytes: number): void => {
      own += bytes;
      space.held += bytes;
      key.held += bytes;
      this.held += bytes;
    };
    const isFull = (): boolean => own > SMALL_BYTES && this.#isOver(space, key);
    const giveBack = (bytes: number): void => {
      count(-bytes);
      lease.giveBack(bytes);
    };
    return {
      take(bytes) {
        if (key.held + bytes > KEY_BYTES_MAX || space.held + bytes > SPACE_BYTES_MAX) return false;
        count(bytes);
        // The provider was asked already, so the bytes cannot be rejected.
        lease.add(bytes);
        return true;
      },
      giveBack,
      get isFull() {
        return isFull();
      },
      close: () => {
        if (closed) return;
        closed = true;
        giveBack(own);
        drop(this.#spaces, spaceId, space);
        drop(this.#keys, keyId, key);
      },
    };
  }

  #isOver(space: Share, key: Share): boolean {
    const spaceBytes = (HELD_BYTES_MAX - (this.held - space.held)) / 2;
    const keyBytes = (spaceBytes - (space.held - key.held)) / 2;
    return space.held > spaceBytes || key.held > keyBytes;
  }
}

function share(shares: Map<string, Share>, id: string): Share {
  let found = shares.get(id);
  if (found === undefined) {
    found = { held: 0, answers: 0 };
    shares.set(id, found);
  }
  found.answers++;
  return found;
}

function drop(shares: Map<string, Share>, id: string, left: Share): void {
  if (--left.answers === 0) shares.delete(id);
}
