/**
 * Makes calls durable, many at a time. One statement is in flight; the calls that finish meanwhile
 * form the next group. So a quiet gateway commits a call at once, a busy one shares each commit
 * among all who wait, and there is no timer.
 *
 * A reply must not be completed before `record` resolves: that is what makes "delivered in full"
 * imply "charged".
 */
import { type Database, DatabaseUnavailable } from '../database/database.ts';
import { CALL_ANSWER_MS } from '../database/deadlines.ts';
import { Problem } from '../kernel/problem.ts';
import { type Clock, pause } from '../kernel/time.ts';
import { type CallRecord, callRow, joinRows } from './call-record.ts';
import { type CallGroup, recordCalls } from './calls.store.ts';

export const GROUP_CALLS_MAX = 500;
/** Above this many waiting calls new ones are not admitted. */
export const WAITING_CALLS_MAX = 20_000;
/** New calls are refused once a commit has been failing for this long. */
export const UNHEALTHY_AFTER_MS = 2_000;
/** Whoever waits longer than this for a commit is told so; the rows are still sent until they land. */
export const COMMIT_WAIT_MAX_MS = 30_000;
const RESEND_DELAY_MS = 100;
/** A database that is slow and not dead gets longer with each attempt, up to this. */
const ANSWER_MS_MAX = 12_000;

export interface CallRecorderOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly onGroup?: (group: { calls: number; durationMs: number }) => void;
  readonly onTrouble?: (error: unknown, group: { calls: number }) => void;
}

interface Waiting {
  readonly row: string;
  readonly spaceId: string;
  resolve(): void;
  reject(error: Error): void;
}

export class CallRecorder {
  readonly #options: CallRecorderOptions;
  readonly #stopping = new AbortController();
  #waiting: Waiting[] = [];
  #working: Promise<void> | null = null;
  /** Since when the group under way waits for its commit, be it refused or not answered at all. */
  #committingSinceMs: number | null = null;

  constructor(options: CallRecorderOptions) {
    this.#options = options;
  }

  /** Resolves when the call is durable and its units are taken. */
  record(call: CallRecord): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ row: callRow(call), spaceId: call.spaceId, resolve, reject });
      this.#working ??= this.#work();
    });
  }

  /** Refuses new calls while old ones cannot be made durable: better no answer than an unbilled one. */
  admit(): void {
    const since = this.#committingSinceMs;
    const failing = since !== null && this.#options.clock.elapsedMs() - since > UNHEALTHY_AFTER_MS;
    if (failing || this.#waiting.length >= WAITING_CALLS_MAX) {
      throw new Problem('service_unavailable', { retryAfterMs: 1_000 });
    }
  }

  /** Waits until everything recorded so far is durable. */
  async flush(): Promise<void> {
    while (this.#working !== null) await this.#working;
  }

  /** Flushes for at most `limitMs`, then gives up resending. */
  async stop(limitMs: number): Promise<void> {
    const giveUp = this.#options.clock.after(limitMs, () => this.#stopping.abort());
    await this.flush();
    giveUp();
  }

  async #work(): Promise<void> {
    // Let the calls that finish in this same turn of the event loop come along.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = group.length > GROUP_CALLS_MAX ? group.splice(GROUP_CALLS_MAX) : [];
      await this.#commit(group);
    }
    this.#working = null;
  }

  async #commit(group: readonly Waiting[]): Promise<void> {
    const { clock } = this.#options;
    const startedMs = clock.elapsedMs();
    const rows = joinRows(group.map((call) => call.row));
    const spaces = [...new Set(group.map((call) => call.spaceId))];
    try {
      await this.#send({ rows, spaces, at: clock.now() }, group);
      for (const call of group) call.resolve();
      this.#options.onGroup?.({ calls: group.length, durationMs: clock.elapsedMs() - startedMs });
    } catch (error) {
      await this.#isolate(group, error);
    }
  }

  /** Sends the same rows until the database has answered: their ids make a repeat harmless. */
  async #send(statement: CallGroup, group: readonly Waiting[]): Promise<void> {
    const { db, clock, onTrouble } = this.#options;
    const sinceMs = clock.elapsedMs();
    this.#committingSinceMs = sinceMs;
    let answerMs = CALL_ANSWER_MS;
    try {
      for (;;) {
        const sentMs = clock.elapsedMs();
        try {
          await recordCalls(db, statement, answerMs);
          return;
        } catch (error) {
          if (clock.elapsedMs() - sentMs >= answerMs) answerMs = Math.min(answerMs * 2, ANSWER_MS_MAX);
          if (!(error instanceof DatabaseUnavailable) || this.#stopping.signal.aborted) throw error;
          onTrouble?.(error, { calls: group.length });
          if (clock.elapsedMs() - sinceMs > COMMIT_WAIT_MAX_MS) {
            for (const call of [...group, ...this.#waiting]) call.reject(notRecorded(error));
          }
          await pause(clock, RESEND_DELAY_MS, this.#stopping.signal);
        }
      }
    } finally {
      this.#committingSinceMs = null;
    }
  }

  /** One row the database refuses must not take its neighbours down: halve until it stands alone. */
  async #isolate(group: readonly Waiting[], error: unknown): Promise<void> {
    if (group.length > 1 && !(error instanceof DatabaseUnavailable)) {
      const middle = group.length >> 1;
      await this.#commit(group.slice(0, middle));
      await this.#commit(group.slice(middle));
      return;
    }
    this.#options.onTrouble?.(error, { calls: group.length });
    for (const call of group) call.reject(notRecorded(error));
  }
}

function notRecorded(cause: unknown): Problem {
  return new Problem('service_unavailable', { detail: 'The call could not be recorded.', cause });
}
