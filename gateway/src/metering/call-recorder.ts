/**
 * Makes calls durable, a group at a time (`database/group-writer.ts`). With a write-ahead file, calls are durable when
 * they are in the file, and the database follows (`pending-calls.ts`). Without one, they are written to the database;
 * calls of many spaces are written in several groups side by side (`commit-lanes.ts`). Both are retried while they fail.
 *
 * A reply must not be completed before `record` resolves. So a reply that was delivered in full was charged.
 */
import type { Database } from '../database/database.ts';
import { GroupWriter } from '../database/group-writer.ts';
import type { WriteAheadFile } from '../database/write-ahead-file.ts';
import { Problem } from '../kernel/problem.ts';
import { type Clock, monthOf } from '../kernel/time.ts';
import { type CallRecord, callRow, rowKeys } from './call-record.ts';
import { type CallRow, createCallWriter, GROUP_CALLS_MAX } from './call-writer.ts';
import { CommitLanes, LANES_MAX } from './commit-lanes.ts';
import { PendingCalls } from './pending-calls.ts';

/** New calls are rejected while this many calls wait for their commit. */
export const WAITING_CALLS_MAX = 20_000;
/** New calls are rejected when a commit has been failing for this long. */
export const UNHEALTHY_AFTER_MS = 2_000;
/** A caller gets an error after waiting this long for a commit; the rows are still retried until they are written. */
export const COMMIT_WAIT_MAX_MS = 30_000;
/** New calls are rejected while a call in the file waits this long for the database, which may only be busy. */
const PENDING_MS_MAX = 10_000;
/** Of one write to the file. */
const FILE_GROUP_BYTES_MAX = 1024 * 1024;

export interface CallRecorderOptions {
  readonly db: Database;
  readonly clock: Clock;
  /** Null: calls are durable only in the database. */
  readonly file?: WriteAheadFile | null;
  readonly onGroup?: (group: { calls: number; durationMs: number }) => void;
  readonly onTrouble?: (error: unknown, group: { calls: number }) => void;
}

export class CallRecorder {
  readonly #clock: Clock;
  readonly #lanes: CommitLanes;
  /** One for each lane. */
  readonly #writers: ReadonlyArray<GroupWriter<CallRow>>;
  /** When a lane last committed. */
  #committedMs = Number.NEGATIVE_INFINITY;
  /** Null without a file. */
  readonly pending: PendingCalls | null;

  constructor(options: CallRecorderOptions) {
    const { db, clock, file = null, onGroup, onTrouble } = options;
    this.#clock = clock;
    this.pending = file === null ? null : new PendingCalls({ db, clock, file, onGroup, onTrouble });
    // The embedded engine runs one statement at a time anyway.
    const lanesMax = db.engine === 'embedded' || file !== null ? 1 : LANES_MAX;
    this.#lanes = new CommitLanes(lanesMax);
    this.#writers =
      this.pending === null
        ? Array.from({ length: lanesMax }, () => this.#databaseWriter(options))
        : [this.#fileWriter(options, this.pending)];
  }

  #databaseWriter({ db, clock, onGroup, onTrouble }: CallRecorderOptions): GroupWriter<CallRow> {
    return createCallWriter({
      ...{ db, clock, onGroup, onTrouble, rejection },
      onCommit: (spaces) => {
        this.#lanes.committed(spaces);
        this.#committedMs = clock.elapsedMs();
      },
      resend: { waitMsMax: COMMIT_WAIT_MAX_MS, afterwards: 'send on' },
    });
  }

  #fileWriter({ clock, onTrouble }: CallRecorderOptions, pending: PendingCalls): GroupWriter<CallRow> {
    return new GroupWriter({
      ...{ clock, rejection },
      rowsMax: GROUP_CALLS_MAX,
      bytesMax: FILE_GROUP_BYTES_MAX,
      sizeOf: ({ row }) => row.length,
      write: (rows) => pending.append(rows),
      resend: { waitMsMax: COMMIT_WAIT_MAX_MS, afterwards: 'send on' },
      onTrouble: (error, { rows }) => onTrouble?.(error, { calls: rows }),
    });
  }

  /** Applies what an earlier run left in the file. */
  async start(): Promise<void> {
    await this.pending?.start();
  }

  /** Resolves when the call is durable. Its units are taken, or will be before anyone reads the balance. */
  record(call: CallRecord): Promise<void> {
    const { spaceId, chargedAt } = call;
    const writer = this.#writers[this.#lanes.laneOf(spaceId)] as GroupWriter<CallRow>;
    return writer.add({ row: callRow(call), spaceId, month: monthOf(chargedAt) });
  }

  /** Records a call that may be recorded already; then nothing changes. `row` is the result of `callRow`. */
  recordRow(row: string): Promise<void> {
    const keys = rowKeys(row);
    const writer = this.#writers[this.#lanes.laneOf(keys.spaceId)] as GroupWriter<CallRow>;
    return writer.add({ row, ...keys });
  }

  /**
   * Rejects new calls while earlier ones cannot be made durable: no reply is better than one that is not charged. One
   * failing lane may be a locked space; then only its calls are rejected. If no lane has committed meanwhile, the
   * database is unavailable, and all calls are rejected.
   */
  checkCanRecord(spaceId: string): void {
    const own = this.#lanes.laneOf(spaceId);
    let waiting = this.pending?.size ?? 0;
    let failing =
      this.#isLong(this.pending?.failingSinceMs ?? null) || (this.pending?.ageMs ?? 0) > PENDING_MS_MAX;
    for (const [lane, writer] of this.#writers.entries()) {
      const since = writer.sendingSinceMs;
      waiting += writer.waiting;
      if (since !== null && this.#isLong(since)) failing ||= lane === own || this.#committedMs <= since;
    }
    if (failing || waiting >= WAITING_CALLS_MAX)
      throw new Problem('service_unavailable', { retryAfterMs: 1_000 });
  }

  #isLong(sinceMs: number | null): boolean {
    return sinceMs !== null && this.#clock.elapsedMs() - sinceMs > UNHEALTHY_AFTER_MS;
  }

  /** Waits until everything recorded so far is durable. */
  async flush(): Promise<void> {
    await Promise.all(this.#writers.map((writer) => writer.flush()));
  }

  /** Flushes for at most `limitMs`, then stops retrying. */
  async stop(limitMs: number): Promise<void> {
    const untilMs = this.#clock.elapsedMs() + limitMs;
    await Promise.all(this.#writers.map((writer) => writer.stop(limitMs)));
    await this.pending?.stop(Math.max(untilMs - this.#clock.elapsedMs(), 0));
  }
}

function rejection(cause: unknown): Error {
  return new Problem('service_unavailable', { detail: 'The call could not be recorded.', cause });
}
