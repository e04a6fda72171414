/**
 * The writers of a process, each with one commit in flight. The first one takes all calls, which share its commits. If its
 * commit gets no answer for a while, it may hang with the locks of its rows; then the next writer, which has rows of its own,
 * takes the calls that come and those that wait. So a commit that hangs delays only the calls in it.
 */
import type { GroupWriter } from '../database/group-writer.ts';
import type { Clock } from '../kernel/time.ts';
import type { CallRow } from './call-writer.ts';

/** After this long without an answer the next writer is used. */
export const NEXT_WRITER_MS = 500;

export interface CommitWritersOptions {
  readonly clock: Clock;
  readonly writers: ReadonlyArray<GroupWriter<CallRow>>;
  /** Whether a writer had better not be used, although it does not wait. */
  readonly isAvoided?: (place: number) => boolean;
  /** Resolves if the database answers. */
  readonly probe: () => Promise<void>;
}

export class CommitWriters {
  readonly #options: CommitWritersOptions;
  /** When the database last answered a commit, or a probe. */
  #answeredMs = Number.NEGATIVE_INFINITY;
  #isProbing = false;

  constructor(options: CommitWritersOptions) {
    this.#options = options;
  }

  /** Resolves when the call is durable. */
  add(row: CallRow): Promise<void> {
    return this.#free().add(row);
  }

  /** To be called when a writer sends a group. The returned function is to be called when it has an answer, or none. */
  sent(place: number): (answer: 'answered' | 'lost') => void {
    const cancel = this.#options.clock.every(NEXT_WRITER_MS, () => this.#late(place));
    return (answer) => {
      cancel();
      if (answer === 'answered') this.#answeredMs = this.#options.clock.elapsedMs();
    };
  }

  /** How many calls are in no group yet. */
  get waiting(): number {
    let sum = 0;
    for (const { waiting } of this.#options.writers) sum += waiting;
    return sum;
  }

  /** The group that has waited longest, if the database has answered nothing since it was sent; null if there is none. */
  get unanswered(): { sinceMs: number; failures: number } | null {
    let oldest: { sinceMs: number; failures: number } | null = null;
    for (const { sendingSinceMs, failures } of this.#options.writers) {
      if (sendingSinceMs === null || sendingSinceMs < this.#answeredMs) continue;
      if (oldest === null || sendingSinceMs < oldest.sinceMs) oldest = { sinceMs: sendingSinceMs, failures };
    }
    return oldest;
  }

  async flush(): Promise<void> {
    await Promise.all(this.#options.writers.map((writer) => writer.flush()));
  }

  async stop(limitMs: number): Promise<void> {
    await Promise.all(this.#options.writers.map((writer) => writer.stop(limitMs)));
  }

  #late(place: number): void {
    const own = this.#options.writers[place] as GroupWriter<CallRow>;
    const next = this.#free();
    if (next !== own) own.moveWaitingTo(next);
    if (next.sendingSinceMs === null) this.#probe();
  }

  /** Without calls to commit, nothing else tells whether the database answers. */
  #probe(): void {
    if (this.#isProbing) return;
    this.#isProbing = true;
    const answered = (): void => {
      this.#answeredMs = this.#options.clock.elapsedMs();
    };
    this.#options
      .probe()
      .then(answered, () => undefined)
      .finally(() => {
        this.#isProbing = false;
      });
  }

  /** The first that is not avoided and does not wait for long; otherwise the one that has waited the shortest time. */
  #free(): GroupWriter<CallRow> {
    const { clock, writers, isAvoided } = this.#options;
    const lateMs = clock.elapsedMs() - NEXT_WRITER_MS;
    let best = writers[0] as GroupWriter<CallRow>;
    let bestMs = Number.NEGATIVE_INFINITY;
    // By their places: `entries()` makes a list for each writer, and every call comes here.
    for (let place = 0; place < writers.length; place++) {
      const writer = writers[place] as GroupWriter<CallRow>;
      const sinceMs = writer.sendingSinceMs ?? Number.POSITIVE_INFINITY;
      if (sinceMs > lateMs && !isAvoided?.(place)) return writer;
      if (sinceMs <= bestMs) continue;
      best = writer;
      bestMs = sinceMs;
    }
    return best;
  }
}
