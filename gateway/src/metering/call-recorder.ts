/**
 * Makes calls durable, a group at a time (`database/group-writer.ts`). With a write-ahead file, calls are durable when
 * they are in the file, and the database follows (`pending-calls.ts`). Without one, they are written to the database
 * (`commit-writers.ts`). Both are retried while they fail. With a journal (`call-journal.ts`), groups that PostgreSQL does
 * not take are written to the local disk.
 *
 * A reply must not be completed before `record` resolves. So a reply that was delivered in full was charged.
 */
import type { Database } from '../database/database.ts';
import { type DatabaseOutage, probeDatabase } from '../database/database-outage.ts';
import { CALL_ANSWER_MS } from '../database/deadlines.ts';
import { GroupWriter } from '../database/group-writer.ts';
import type { WriteAheadFile } from '../database/write-ahead-file.ts';
import type { WindowName } from '../kernel/period.ts';
import { Problem } from '../kernel/problem.ts';
import { type Clock, type Month, monthOf } from '../kernel/time.ts';
import type { Units } from '../kernel/units.ts';
import type { CallJournal } from './call-journal.ts';
import { type CallRecord, type CountedCost, callRow, rowCharge, rowKeys } from './call-record.ts';
import { type CallRow, createCallWriter, GROUP_CALLS_MAX, type WriteInstead } from './call-writer.ts';
import { pauseBetweenCommits } from './commit-pace.ts';
import { CommitWriters } from './commit-writers.ts';
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
  /** This process among others. Without it, the writer is 0, who is no process. */
  readonly process?: CommittingProcess;
  /** Called after each commit with the spaces that were charged. */
  readonly onCharged?: (spaces: readonly string[]) => void;
  /** Called after a row was recorded whose call no running call of this process holds units for. */
  readonly onForeignRow?: (charge: RowCharge) => void;
  readonly onGroup?: (group: { calls: number; durationMs: number }) => void;
  readonly onTrouble?: (error: unknown, group: { calls: number }) => void;
}

/** Who pays for a recorded row, and how much counts as spent. */
export interface RowCharge extends CountedCost {
  readonly spaceId: string;
  readonly month: Month;
}

export interface CommittingProcess {
  /** How many writers it has. */
  readonly writers: number;
  /** The number of a writer. */
  writer(place: number): number;
  /** How many processes use the database. */
  alive(): number;
}

const NO_PROCESS: CommittingProcess = { writers: 1, writer: () => 0, alive: () => 1 };

export class CallRecorder {
  readonly #clock: Clock;
  readonly #writers: CommitWriters;
  /** How many of them there are. */
  readonly #count: number;
  readonly #file: PendingCalls | null;
  readonly #journal: CallJournal | null;
  readonly #outage: DatabaseOutage | null;
  readonly #onForeignRow: ((charge: RowCharge) => void) | null;
  /** Since when a group has waited, and when it was found late. */
  #lateGroup = { sinceMs: Number.NaN, foundMs: 0 };
  /** Writers whose last commit failed. Their calls go to the journal until the database has taken a group. */
  readonly #failing = new Set<number>();

  constructor(options: CallRecorderOptions) {
    const { db, clock, file = null, journal = null, outage = null, onGroup, onTrouble, onCharged } = options;
    const { process = NO_PROCESS } = options;
    const applied = { onCommit: onCharged, writer: () => process.writer(0) };
    this.#clock = clock;
    this.#file = file === null ? null : new PendingCalls({ db, clock, file, onGroup, onTrouble, ...applied });
    this.#journal = journal;
    this.#outage = outage;
    this.#onForeignRow = options.onForeignRow ?? null;
    journal?.onApplied(() => this.#failing.clear());
    // The embedded engine runs one statement at a time anyway.
    const count = db.engine === 'embedded' ? 1 : process.writers;
    const places = Array.from({ length: count }, (_, place) => place);
    const writers =
      this.#file === null
        ? places.map((place) => this.#databaseWriter(options, place))
        : [this.#fileWriter(options, this.#file)];
    const isAvoided = (place: number): boolean => this.#failing.has(place);
    this.#writers = new CommitWriters({ clock, writers, isAvoided, probe: () => probeDatabase(db) });
    this.#count = writers.length;
  }

  /** The calls that are durable and not in the database; null if there are never any. */
  get pending(): Pick<PendingCalls, 'size' | 'ageMs'> | null {
    return this.#file ?? this.#journal;
  }

  /** What calls cost that are durable here and not in the database, by the ids of what counts it in a month or another window. */
  unappliedCosts(window: WindowName): ReadonlyMap<string, Units> {
    return this.#journal?.costs.of(window) ?? NO_COSTS;
  }

  #databaseWriter(options: CallRecorderOptions, place: number): GroupWriter<CallRow> {
    const { db, clock, onGroup, onTrouble, onCharged, journal, process = NO_PROCESS } = options;
    const waitMs = pauseBetweenCommits(clock, () => process.alive());
    return createCallWriter({
      db,
      clock,
      onGroup,
      onTrouble,
      rejection,
      onCommit: onCharged,
      waitMs,
      writer: () => process.writer(place),
      onSent: () => this.#writers.sent(place),
      ...(journal?.isOpen && { instead: this.#journalOf(place, journal) }),
      resend: { waitMsMax: COMMIT_WAIT_MAX_MS, afterwards: 'send on' },
    });
  }

  #journalOf(place: number, journal: CallJournal): WriteInstead {
    const isFailing = (): boolean => this.#outage?.isSuspected === true || this.#failing.has(place);
    return {
      get isFailing() {
        return isFailing();
      },
      write: async (rows, { failed }) => {
        // A suspicion alone, which ends with the next answer, does not say that this writer would fail.
        if (failed || this.#outage?.isConfirmed) this.#failing.add(place);
        try {
          await journal.append(rows);
        } catch (error) {
          // Nothing of it is left to be applied, so the writer itself has to find out when the database is back.
          this.#failing.delete(place);
          throw error;
        }
      },
    };
  }

  #fileWriter({ clock, onTrouble }: CallRecorderOptions, pending: PendingCalls): GroupWriter<CallRow> {
    return new GroupWriter({
      clock,
      rejection,
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

  /** Resolves when the call is durable. It is charged, or will be before anyone reads the balance. */
  record(call: CallRecord): Promise<void> {
    const { spaceId, chargedAt } = call;
    return this.#writers.add({ row: callRow(call), spaceId, month: monthOf(chargedAt) });
  }

  /** Records a call that may be recorded already; then nothing changes. `row` is the result of `callRow`. */
  async recordRow(row: string): Promise<void> {
    const keys = rowKeys(row);
    await this.#writers.add({ row, ...keys });
    const charge = rowCharge(row);
    if (charge !== null) this.#onForeignRow?.({ ...keys, ...charge });
  }

  /**
   * Rejects new calls while earlier ones cannot be made durable: no reply is better than one that is not charged. A commit
   * that hangs is no reason, as long as the database answers others.
   */
  checkCanRecord(): void {
    const waiting = (this.#file?.size ?? 0) + this.#writers.waiting;
    const failing =
      this.#isLong(this.#file?.failingSinceMs ?? null) ||
      (this.#file?.ageMs ?? 0) > PENDING_MS_MAX ||
      this.#isJournalFull ||
      this.#isUnanswered;
    if (failing || waiting >= WAITING_CALLS_MAX)
      throw new Problem('service_unavailable', { retryAfterMs: 1_000 });
  }

  get #isJournalFull(): boolean {
    if (this.#outage === null || this.#journal === null) return false;
    return (this.#outage.isSuspected || this.#failing.size === this.#count) && this.#journal.isFull;
  }

  get #isUnanswered(): boolean {
    const group = this.#writers.unanswered;
    if (group === null || !this.#isLong(group.sinceMs)) return false;
    if (group.failures > 1) return true;
    const nowMs = this.#clock.elapsedMs();
    if (this.#lateGroup.sinceMs !== group.sinceMs)
      this.#lateGroup = { sinceMs: group.sinceMs, foundMs: nowMs };
    return nowMs - this.#lateGroup.foundMs > CATCH_UP_MS;
  }

  #isLong(sinceMs: number | null): boolean {
    const unhealthyMs = this.#outage === null ? UNHEALTHY_AFTER_MS : JOURNAL_UNHEALTHY_AFTER_MS;
    return sinceMs !== null && this.#clock.elapsedMs() - sinceMs > unhealthyMs;
  }

  /** Waits until everything recorded so far is durable. */
  async flush(): Promise<void> {
    await this.#writers.flush();
  }

  /** Flushes for at most `limitMs`, then stops retrying. */
  async stop(limitMs: number): Promise<void> {
    const untilMs = this.#clock.elapsedMs() + limitMs;
    await this.#writers.stop(limitMs);
    const leftMs = Math.max(untilMs - this.#clock.elapsedMs(), 0);
    await this.#file?.stop(leftMs);
    await this.#journal?.stop(leftMs);
  }
}

function rejection(cause: unknown): Error {
  return new Problem('service_unavailable', { detail: 'The call could not be recorded.', cause });
}
