/**
 * Makes calls durable, a group at a time (`database/group-writer.ts`), and retries while the database is
 * unavailable. Calls of many spaces are written in several groups side by side (`commit-lanes.ts`).
 *
 * A reply must not be completed before `record` resolves. So a reply that was delivered in full was charged.
 */
import type { Database } from '../database/database.ts';
import { CALL_ANSWER_MS } from '../database/deadlines.ts';
import { GroupWriter } from '../database/group-writer.ts';
import { Problem } from '../kernel/problem.ts';
import { type Clock, type Instant, type Month, monthOf, monthStart, nextMonth } from '../kernel/time.ts';
import { type CallRecord, callRow, joinRows } from './call-record.ts';
import { type CallGroup, recordCalls } from './calls.store.ts';
import { CommitLanes, LANES_MAX } from './commit-lanes.ts';

export const GROUP_CALLS_MAX = 500;
/** New calls are rejected while this many calls wait for their commit. */
export const WAITING_CALLS_MAX = 20_000;
/** New calls are rejected when a commit has been failing for this long. */
export const UNHEALTHY_AFTER_MS = 2_000;
/** A caller gets an error after waiting this long for a commit; the rows are still retried until they are written. */
export const COMMIT_WAIT_MAX_MS = 30_000;
/** The provider was paid for the call, so a row that the database rejects is retried alone before it is dropped. */
const RETRIES_ALONE = 3;
/** Each retry waits longer, up to this, in case the database is only slow. */
const ANSWER_MS_MAX = 12_000;

export interface CallRecorderOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly onGroup?: (group: { calls: number; durationMs: number }) => void;
  readonly onTrouble?: (error: unknown, group: { calls: number }) => void;
}

interface CallRow {
  /** The result of `callRow`. */
  readonly row: string;
  readonly spaceId: string;
  readonly month: Month;
}

export class CallRecorder {
  readonly #clock: Clock;
  readonly #lanes: CommitLanes;
  /** One for each lane. */
  readonly #writers: ReadonlyArray<GroupWriter<CallRow>>;
  /** When a lane last committed. */
  #committedMs = Number.NEGATIVE_INFINITY;

  constructor(options: CallRecorderOptions) {
    this.#clock = options.clock;
    // The embedded engine runs one statement at a time anyway.
    const lanesMax = options.db.engine === 'embedded' ? 1 : LANES_MAX;
    this.#lanes = new CommitLanes(lanesMax);
    this.#writers = Array.from({ length: lanesMax }, () => this.#createWriter(options));
  }

  #createWriter({ db, clock, onGroup, onTrouble }: CallRecorderOptions): GroupWriter<CallRow> {
    let answerMs = CALL_ANSWER_MS;
    return new GroupWriter({
      clock,
      rowsMax: GROUP_CALLS_MAX,
      // The ids of the calls make a repeated write harmless.
      write: async (calls, tried) => {
        if (tried === 1) answerMs = CALL_ANSWER_MS;
        const sentMs = clock.elapsedMs();
        try {
          for (const group of groupsByMonth(calls, clock.now())) {
            await recordCalls(db, group, answerMs);
            this.#lanes.committed(group.spaces.length);
            this.#committedMs = clock.elapsedMs();
          }
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
    const { spaceId, chargedAt } = call;
    const writer = this.#writers[this.#lanes.laneOf(spaceId)] as GroupWriter<CallRow>;
    return writer.add({ row: callRow(call), spaceId, month: monthOf(chargedAt) });
  }

  /**
   * Rejects new calls while earlier ones cannot be made durable: no reply is better than one that is not charged. One
   * failing lane may be a locked space; then only its calls are rejected. If no lane has committed meanwhile, the
   * database is unavailable, and all calls are rejected.
   */
  checkCanRecord(spaceId: string): void {
    const own = this.#lanes.laneOf(spaceId);
    let waiting = 0;
    let failing = false;
    for (const [lane, writer] of this.#writers.entries()) {
      const since = writer.sendingSinceMs;
      waiting += writer.waiting;
      if (since === null || this.#clock.elapsedMs() - since <= UNHEALTHY_AFTER_MS) continue;
      failing ||= lane === own || this.#committedMs <= since;
    }
    if (failing || waiting >= WAITING_CALLS_MAX)
      throw new Problem('service_unavailable', { retryAfterMs: 1_000 });
  }

  /** Waits until everything recorded so far is durable. */
  async flush(): Promise<void> {
    await Promise.all(this.#writers.map((writer) => writer.flush()));
  }

  /** Flushes for at most `limitMs`, then stops retrying. */
  async stop(limitMs: number): Promise<void> {
    await Promise.all(this.#writers.map((writer) => writer.stop(limitMs)));
  }
}

/**
 * One group, except at the end of a month. The journal entry of a group has a time in the month of its calls, so that
 * the charges of a month are its usage (`reports/statement.ts`), also for calls that ended before midnight and are
 * committed after it.
 */
function groupsByMonth(calls: readonly CallRow[], now: Instant): CallGroup[] {
  return [...Map.groupBy(calls, ({ month }) => month)].map(([month, own]) => ({
    rows: joinRows(own.map(({ row }) => row)),
    spaces: [...new Set(own.map(({ spaceId }) => spaceId))],
    at: Math.min(Math.max(now, monthStart(month)), monthStart(nextMonth(month)) - 1),
  }));
}
