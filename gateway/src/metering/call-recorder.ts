/**
 * Makes calls durable, a group at a time (`database/group-writer.ts`). With a write-ahead file, calls are durable when
 * they are in the file, and the database follows (`pending-calls.ts`). Without one, they are written to the database;
 * calls of many spaces are written in several groups side by side (`commit-lanes.ts`). Both are retried while they fail.
 * With a journal (`call-journal.ts`), groups that PostgreSQL does not take are written to the local disk.
 *
 * A reply must not be completed before `record` resolves. So a reply that was delivered in full was charged.
 */
import type { Database } from '../database/database.ts';
import type { DatabaseOutage } from '../database/database-outage.ts';
import { CALL_ANSWER_MS } from '../database/deadlines.ts';
import { GroupWriter } from '../database/group-writer.ts';
import type { WriteAheadFile } from '../database/write-ahead-file.ts';
import { Problem } from '../kernel/problem.ts';
import { type Clock, type Month, monthOf } from '../kernel/time.ts';
import type { Units } from '../kernel/units.ts';
import type { CallJournal } from './call-journal.ts';
import { type CallRecord, callRow, rowKeys } from './call-record.ts';
import { type CallRow, createCallWriter, GROUP_CALLS_MAX, type WriteInstead } from './call-writer.ts';
import { CommitLanes, LANES_MAX } from './commit-lanes.ts';
import { PendingCalls } from './pending-calls.ts';

/** New calls are rejected while this many calls wait for their commit. */
export const WAITING_CALLS_MAX = 20_000;
/** New calls are rejected when a commit has been failing for this long. */
export const UNHEALTHY_AFTER_MS = 2_000;
/**
 * A process that was paused, or had no processor, finds requests before the answers of its database. So it takes calls for
 * this long after it has found a commit late, unless the commit has failed more than once.
 */
export const CATCH_UP_MS = 500;
/** UNHEALTHY_AFTER_MS with a journal, which is written to after a commit has missed its deadline, and waited to connect. */
const JOURNAL_UNHEALTHY_AFTER_MS = UNHEALTHY_AFTER_MS + 2 * CALL_ANSWER_MS;
/** A caller gets an error after waiting this long for a commit; the rows are still retried until they are written. */
export const COMMIT_WAIT_MAX_MS = 30_000;
/** New calls are rejected while a call in the file waits this long for the database, which may only be busy. */
const PENDING_MS_MAX = 10_000;
const NO_COSTS: ReadonlyMap<string, Units> = new Map();
/** Of one write to the file. */
const FILE_GROUP_BYTES_MAX = 1024 * 1024;

export interface CallRecorderOptions {
  readonly db: Database;
  readonly clock: Clock;
  /** Null: calls are durable only in the database. */
  readonly file?: WriteAheadFile | null;
  /** Only PostgreSQL. */
  readonly journal?: CallJournal | null;
  /** Together with a journal that calls may be added to. */
  readonly outage?: DatabaseOutage | null;
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
  readonly #file: PendingCalls | null;
  readonly #journal: CallJournal | null;
  readonly #outage: DatabaseOutage | null;
  /** Since when a lane's group was sent, and when it was found late. */
  readonly #lateGroups = new Map<number, { sinceMs: number; foundMs: number }>();
  /** Lanes whose last commit failed. Their calls go to the journal until the database has taken a group. */
  readonly #failingLanes = new Set<number>();

  constructor(options: CallRecorderOptions) {
    const { db, clock, file = null, journal = null, outage = null, onGroup, onTrouble } = options;
    this.#clock = clock;
    this.#file = file === null ? null : new PendingCalls({ db, clock, file, onGroup, onTrouble });
    this.#journal = journal;
    this.#outage = outage;
    journal?.onApplied(() => this.#failingLanes.clear());
    // The embedded engine runs one statement at a time anyway.
    const lanesMax = db.engine === 'embedded' || file !== null ? 1 : LANES_MAX;
    this.#lanes = new CommitLanes(lanesMax);
    this.#writers =
      this.#file === null
        ? Array.from({ length: lanesMax }, (_, lane) => this.#databaseWriter(options, lane))
        : [this.#fileWriter(options, this.#file)];
  }

  /** The calls that are durable and not in the database; null if there are never any. */
  get pending(): Pick<PendingCalls, 'size' | 'ageMs'> | null {
    return this.#file ?? this.#journal;
  }

  /** What calls cost that are durable here and not in the database, by the ids of spaces, keys and members. */
  unappliedCosts(month: Month): ReadonlyMap<string, Units> {
    return this.#journal?.costs.ofMonth(month) ?? NO_COSTS;
  }

  #databaseWriter(
    { db, clock, onGroup, onTrouble, journal }: CallRecorderOptions,
    lane: number,
  ): GroupWriter<CallRow> {
    return createCallWriter({
      ...{ db, clock, onGroup, onTrouble, rejection },
      ...(journal?.isOpen && { instead: this.#journalOf(lane, journal) }),
      onCommit: (spaces) => {
        this.#lanes.committed(spaces);
        this.#committedMs = clock.elapsedMs();
      },
      resend: { waitMsMax: COMMIT_WAIT_MAX_MS, afterwards: 'send on' },
    });
  }

  #journalOf(lane: number, journal: CallJournal): WriteInstead {
    const isFailing = (): boolean => this.#outage?.isSuspected === true || this.#failingLanes.has(lane);
    return {
      get isFailing() {
        return isFailing();
      },
      write: async (rows, { failed }) => {
        // A suspicion alone, which ends with the next answer, does not say that this lane would fail.
        if (failed || this.#outage?.isConfirmed) this.#failingLanes.add(lane);
        try {
          await journal.append(rows);
        } catch (error) {
          // Nothing of it is left to be applied, so the lane itself has to find out when the database is back.
          this.#failingLanes.delete(lane);
          throw error;
        }
      },
    };
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

  /** Applies what earlier runs left on the disk. */
  async start(): Promise<void> {
    await this.#file?.start();
    await this.#journal?.start();
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
    let waiting = this.#file?.size ?? 0;
    let failing =
      this.#isLong(this.#file?.failingSinceMs ?? null) ||
      (this.#file?.ageMs ?? 0) > PENDING_MS_MAX ||
      this.#isJournalFull(own);
    for (const [lane, writer] of this.#writers.entries()) {
      const since = writer.sendingSinceMs;
      waiting += writer.waiting;
      if (since !== null && this.#isLong(since) && this.#isStillLate(lane, since, writer.failures))
        failing ||= lane === own || this.#committedMs <= since;
    }
    if (failing || waiting >= WAITING_CALLS_MAX)
      throw new Problem('service_unavailable', { retryAfterMs: 1_000 });
  }

  #isJournalFull(lane: number): boolean {
    if (this.#outage === null || this.#journal === null) return false;
    return (this.#outage.isSuspected || this.#failingLanes.has(lane)) && this.#journal.isFull;
  }

  #isStillLate(lane: number, sinceMs: number, failures: number): boolean {
    if (failures > 1) return true;
    const nowMs = this.#clock.elapsedMs();
    const found = this.#lateGroups.get(lane);
    if (found?.sinceMs === sinceMs) return nowMs - found.foundMs > CATCH_UP_MS;
    this.#lateGroups.set(lane, { sinceMs, foundMs: nowMs });
    return false;
  }

  #isLong(sinceMs: number | null): boolean {
    const unhealthyMs = this.#outage === null ? UNHEALTHY_AFTER_MS : JOURNAL_UNHEALTHY_AFTER_MS;
    return sinceMs !== null && this.#clock.elapsedMs() - sinceMs > unhealthyMs;
  }

  /** Waits until everything recorded so far is durable. */
  async flush(): Promise<void> {
    await Promise.all(this.#writers.map((writer) => writer.flush()));
  }

  /** Flushes for at most `limitMs`, then stops retrying. */
  async stop(limitMs: number): Promise<void> {
    const untilMs = this.#clock.elapsedMs() + limitMs;
    await Promise.all(this.#writers.map((writer) => writer.stop(limitMs)));
    const leftMs = Math.max(untilMs - this.#clock.elapsedMs(), 0);
    await this.#file?.stop(leftMs);
    await this.#journal?.stop(leftMs);
  }
}

function rejection(cause: unknown): Error {
  return new Problem('service_unavailable', { detail: 'The call could not be recorded.', cause });
}
