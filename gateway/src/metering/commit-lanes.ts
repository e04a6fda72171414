/**
 * Decides how many commits a process has in flight, and which calls share one. A commit locks the accounts of all its
 * spaces, so two large commits of different processes nearly always have a space in common and wait for each other. Then
 * more processes would not commit more calls. So when commits have many spaces, the spaces are divided into lanes, in the
 * same way in every process: commits of different lanes have no space in common. See docs/scaling.md.
 */
import { hashText } from '../kernel/hash-text.ts';

/** A process has ten connections, and other work needs some of them. */
export const LANES_MAX = 4;
/** A commit with this many spaces doubles the lanes. */
export const SPACES_HIGH = 64;
/** If commits have only so many, fewer lanes are cheaper: each commit then has more calls. */
export const SPACES_LOW = 8;
/** So many in a row halve the lanes. Not one alone: a lane that was just served has few calls, however many there are. */
export const LOW_COMMITS = 100;

export class CommitLanes {
  readonly #max: number;
  #count = 1;
  #lowCommits = 0;

  /** `max` is a power of two. */
  constructor(max: number) {
    this.#max = max;
  }

  get count(): number {
    return this.#count;
  }

  /** Processes may have different counts: as powers of two, a lane of one is a part of a lane of the other. */
  laneOf(spaceId: string): number {
    return this.#count === 1 ? 0 : hashText(spaceId) % this.#count;
  }

  /** To be called after each commit. */
  committed(spaces: number): void {
    this.#lowCommits = spaces <= SPACES_LOW ? this.#lowCommits + 1 : 0;
    if (spaces >= SPACES_HIGH && this.#count < this.#max) this.#count *= 2;
    if (this.#lowCommits < LOW_COMMITS || this.#count === 1) return;
    this.#count /= 2;
    this.#lowCommits = 0;
  }
}
