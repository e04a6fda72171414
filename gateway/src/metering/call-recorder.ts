/**
 * Makes calls durable, many at a time (see `database/group-writer.ts`), and resends them for as long as the
 * database is away.
 *
 * A reply must not be completed before `record` resolves: that is what makes "delivered in full"
 * imply "charged".
 */
import type { Database } from '../database/database.ts';
import { CALL_ANSWER_MS } from '../database/deadlines.ts';
import { GroupWriter } from '../database/group-writer.ts';
import { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import { type CallRecord, callRow, joinRows } from './call-record.ts';
import { recordCalls } from './calls.store.ts';

export const GROUP_CALLS_MAX = 500;
/** Above this many waiting calls new ones are not admitted. */
export const WAITING_CALLS_MAX = 20_000;
/** New calls are refused once a commit has been failing for this long. */
export const UNHEALTHY_AFTER_MS = 2_000;
/** Whoever waits longer than this for a commit is told so; the rows are still sent until they land. */
export const COMMIT_WAIT_MAX_MS = 30_000;
/** The provider was paid for the call, so a rejection is doubted before the row is given up. */
const RETRIES_ALONE = 3;
/** A database that is slow and not dead gets longer with each attempt, up to this. */
const ANSWER_MS_MAX = 12_000;

export interface CallRecorderOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly onGroup?: (group: { calls: number; durationMs: number }) => void;
  readonly onTrouble?: (error: unknown, group: { calls: number }) => void;
}

interface CallRow {
  /** See callRow. */
  readonly row: string;
  readonly spaceId: string;
}

export class CallRecorder {
  readonly #clock: Clock;
  readonly #writer: GroupWriter<CallRow>;

  constructor({ db, clock, onGroup, onTrouble }: CallRecorderOptions) {
    this.#clock = clock;
    let answerMs = CALL_ANSWER_MS;
    this.#writer = new GroupWriter({
      clock,
      rowsMax: GROUP_CALLS_MAX,
      // Their ids make a repeat harmless.
      write: async (calls, tried) => {
        const rows = joinRows(calls.map(({ row }) => row));
        const spaces = [...new Set(calls.map(({ spaceId }) => spaceId))];
        if (tried === 1) answerMs = CALL_ANSWER_MS;
        const sentMs = clock.elapsedMs();
        try {
          await recordCalls(db, { rows, spaces, at: clock.now() }, answerMs);
        } catch (error) {
          if (clock.elapsedMs() - sentMs >= answerMs) answerMs = Math.min(answerMs * 2, ANSWER_MS_MAX);
          throw error;
        }
      },
      resend: { waitMsMax: COMMIT_WAIT_MAX_MS, afterwards: 'send on' },
      retriesAlone: RETRIES_ALONE,
      onGroup: ({ rows, durationMs }) => onGroup?.({ calls: rows, durationMs }),
      onTrouble: (error, { rows }) => onTrouble?.(error, { calls: rows }),
      rejection: (cause) =>
        new Problem('service_unavailable', { detail: 'The call could not be recorded.', cause }),
    });
  }

  /** Resolves when the call is durable and its units are taken. */
  record(call: CallRecord): Promise<void> {
    return this.#writer.add({ row: callRow(call), spaceId: call.spaceId });
  }

  /** Refuses new calls while old ones cannot be made durable: better no answer than an unbilled one. */
  checkCanRecord(): void {
    const since = this.#writer.sendingSinceMs;
    const failing = since !== null && this.#clock.elapsedMs() - since > UNHEALTHY_AFTER_MS;
    if (failing || this.#writer.waiting >= WAITING_CALLS_MAX) {
      throw new Problem('service_unavailable', { retryAfterMs: 1_000 });
    }
  }

  /** Waits until everything recorded so far is durable. */
  async flush(): Promise<void> {
    await this.#writer.flush();
  }

  /** Flushes for at most `limitMs`, then gives up resending. */
  async stop(limitMs: number): Promise<void> {
    await this.#writer.stop(limitMs);
  }
}
