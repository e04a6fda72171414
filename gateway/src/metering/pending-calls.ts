/**
 * Calls that are durable in the write-ahead file and not yet in the database. They are applied in large groups: when
 * enough of them wait, after a short time, and before any other statement, so that no statement misses a call whose reply
 * was delivered. Applying a call again changes nothing, so after a crash everything in the file is applied once more.
 *
 * On PostgreSQL the file is a journal for outages (`call-journal.ts`): statements do not wait for it, and the attempts to
 * apply it are made less and less often.
 */
import { type Database, DatabaseUnavailable, isAboutValues, type Queryable } from '../database/database.ts';
import { type GroupWriter, RESEND_DELAY_MS } from '../database/group-writer.ts';
import { SEGMENT_MS_MAX, type WriteAheadFile } from '../database/write-ahead-file.ts';
import { type Clock, pause } from '../kernel/time.ts';
import { joinRows, rowKeys, splitRows } from './call-record.ts';
import { type CallRow, type CallWriterOptions, createCallWriter, GROUP_CALLS_MAX } from './call-writer.ts';
import type { UnappliedCosts } from './unapplied-costs.ts';

/** Calls are applied after this long at the latest. */
export const APPLY_MS = 250;
/** With so many, a call waits until the database has it. */
const PENDING_CALLS_HIGH = 4 * GROUP_CALLS_MAX;
/** Between two attempts to apply a journal. */
const JOURNAL_RETRY_MS_MAX = 1_000;

export interface PendingCallsOptions
  extends Pick<CallWriterOptions, 'onGroup' | 'onTrouble' | 'writer' | 'onCommit'> {
  readonly db: Database;
  readonly file: WriteAheadFile;
  readonly clock: Clock;
  /** Leaves rows that the database rejects in the file, for a process that can log them. */
  readonly keepRejected?: boolean;
  /** For a journal of outages. */
  readonly journal?: PendingJournal;
}

export interface PendingJournal {
  /** What the pending calls cost. */
  readonly costs: UnappliedCosts;
  /** Called when the database has taken a group. */
  onApplied(): void;
}

/** One record of the file. */
interface PendingGroup {
  readonly sequence: number;
  readonly sinceMs: number;
  rows: readonly CallRow[];
}

export class PendingCalls {
  readonly #options: PendingCallsOptions;
  readonly #writer: GroupWriter<CallRow>;
  /** Oldest first. */
  readonly #groups: PendingGroup[] = [];
  #size = 0;
  /** The sequence numbers of the last group that was added, and of the last that is in the database. */
  #last = 0;
  #applied = 0;
  #isRead = false;
  #reading: Promise<void> | null = null;
  #applying: Promise<void> | null = null;
  #cancelTimer: (() => void) | null = null;
  #cancelRetiring: (() => void) | null = null;
  #failingSinceMs: number | null = null;
  #retryMs = RESEND_DELAY_MS;
  /** The end of the last use of the file. */
  #using: Promise<unknown> = Promise.resolve();
  /** The file has a rejected row and stays. */
  #isKept = false;
  #isStopped = false;

  constructor(options: PendingCallsOptions) {
    const { db, clock, onGroup, onTrouble, onCommit, writer, journal } = options;
    this.#options = options;
    // A handle that does not wait for the pending calls, which would be for itself.
    const direct: Queryable = db.applyBefore?.(() => this.apply()) ?? db;
    this.#writer = createCallWriter({
      clock,
      onGroup,
      onTrouble,
      onCommit,
      ...(writer && { writer }),
      ...(journal === undefined ? { db: direct } : { db: patient(direct), keepsAnswerMs: true }),
    });
  }

  /** How many calls are not in the database yet. */
  get size(): number {
    return this.#size;
  }

  /** How long the oldest of them has waited. */
  get ageMs(): number {
    const oldest = this.#groups[0];
    return oldest === undefined ? 0 : this.#options.clock.elapsedMs() - oldest.sinceMs;
  }

  /** Since when the database has been unavailable; null if it is not. */
  get failingSinceMs(): number | null {
    return this.#failingSinceMs;
  }

  /** Applies what an earlier run left. */
  async start(): Promise<void> {
    await this.apply();
  }

  /** Resolves when the calls are durable. Rejects with `DatabaseUnavailable` when the file cannot be written. */
  async append(rows: readonly CallRow[]): Promise<void> {
    const { file, clock, journal } = this.#options;
    await this.#read();
    const payload = joinRows(rows.map(({ row }) => row));
    const sequence = await this.#inTurn(() => file.append(payload));
    this.#add({ sequence, sinceMs: clock.elapsedMs(), rows });
    this.#applySoon();
    // The database is slower than the file, so calls wait for it. While it is unavailable they do not: they are durable.
    if (journal === undefined && this.#size >= PENDING_CALLS_HIGH) await this.#tryToApply();
  }

  /** The file does one thing at a time. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#using.then(work);
    this.#using = turn.catch(() => undefined);
    return turn;
  }

  /**
   * Resolves when all calls so far are in the database; null if they are already. Rejects with `DatabaseUnavailable`;
   * the calls are then retried later.
   */
  apply(): Promise<void> | null {
    if (!this.#isRead) return this.#read().then(() => this.#applyUpTo(this.#last));
    return this.#applied === this.#last ? null : this.#applyUpTo(this.#last);
  }

  /** Applies everything, for at most `limitMs`. What is not in the database then stays in the file for the next start. */
  async stop(limitMs: number): Promise<void> {
    const { clock, file } = this.#options;
    const late = new AbortController();
    const cancel = clock.after(limitMs, () => late.abort());
    const expired = new Promise<void>((resolve) => late.signal.addEventListener('abort', () => resolve()));
    while (!late.signal.aborted && !(await Promise.race([this.#tryToApply(), expired])))
      await pause(clock, RESEND_DELAY_MS, late.signal);
    cancel();
    this.#isStopped = true;
    this.#cancelTimer?.();
    this.#cancelRetiring?.();
    await this.#inTurn(() => file.close());
  }

  /** Failures are reported by the writer. */
  async #tryToApply(): Promise<boolean> {
    try {
      await this.apply();
      return true;
    } catch {
      return false;
    }
  }

  /** Reads what an earlier run left, once. */
  async #read(): Promise<void> {
    if (this.#isRead) return;
    this.#reading ??= this.#readFile().finally(() => {
      this.#reading = null;
    });
    await this.#reading;
  }

  async #readFile(): Promise<void> {
    const { file, clock } = this.#options;
    for (const { sequence, payload } of await file.recover()) {
      const rows = splitRows(payload).map((row) => ({ row, ...rowKeys(row) }));
      this.#add({ sequence, sinceMs: clock.elapsedMs(), rows });
    }
    this.#isRead = true;
  }

  #add(group: PendingGroup): void {
    this.#groups.push(group);
    this.#size += group.rows.length;
    this.#last = group.sequence;
    this.#options.journal?.costs.add(group.rows);
  }

  #applySoon(): void {
    if (this.#size >= GROUP_CALLS_MAX && this.#failingSinceMs === null) this.#applyInBackground();
    else this.#applyAfter(this.#failingSinceMs === null ? APPLY_MS : this.#retryMs);
  }

  #applyAfter(delayMs: number): void {
    if (this.#isStopped) return;
    this.#cancelTimer ??= this.#options.clock.after(delayMs, () => {
      this.#cancelTimer = null;
      this.#applyInBackground();
    });
  }

  #applyInBackground(): void {
    if (this.#applying !== null || this.#groups.length === 0) return;
    this.#applyOnce().catch(() => this.#applyAfter(this.#retryMs));
  }

  async #applyUpTo(sequence: number): Promise<void> {
    while (this.#applied < sequence) await this.#applyOnce();
  }

  /** One group of the database at a time; callers share it. */
  #applyOnce(): Promise<void> {
    this.#applying ??= this.#applyNext().finally(() => {
      this.#applying = null;
      if (this.#groups.length > 0) this.#applySoon();
    });
    return this.#applying;
  }

  async #applyNext(): Promise<void> {
    const { clock, file, journal } = this.#options;
    const groups = this.#nextGroups();
    const away = await this.#write(groups);
    if (away !== null) {
      this.#failingSinceMs ??= clock.elapsedMs();
      if (journal !== undefined) this.#retryMs = Math.min(this.#retryMs * 2, JOURNAL_RETRY_MS_MAX);
      throw away;
    }
    this.#failingSinceMs = null;
    this.#retryMs = RESEND_DELAY_MS;
    this.#groups.splice(0, groups.length);
    this.#applied = (groups.at(-1) as PendingGroup).sequence;
    journal?.onApplied();
    if (this.#isKept) return;
    await file.release(this.#applied);
    if (this.#groups.length > 0) return;
    if (journal === undefined) this.#retireLater();
    else await this.#inTurn(() => file.retire());
  }

  /** A server without calls keeps no file. */
  #retireLater(): void {
    if (this.#isStopped) return;
    this.#cancelRetiring ??= this.#options.clock.after(SEGMENT_MS_MAX, () => {
      this.#cancelRetiring = null;
      // A segment that cannot be removed now is removed later.
      this.#options.file.retire().catch(() => undefined);
    });
  }

  #nextGroups(): PendingGroup[] {
    let [groups, rows] = [0, 0];
    while (rows < GROUP_CALLS_MAX && groups < this.#groups.length)
      rows += this.#groups[groups++]?.rows.length ?? 0;
    return this.#groups.slice(0, groups);
  }

  /** Keeps the rows that the database could not take in their groups, and returns why. Rejected rows are dropped. */
  async #write(groups: readonly PendingGroup[]): Promise<DatabaseUnavailable | null> {
    let away: DatabaseUnavailable | null = null;
    const writing = groups.map(async (group) => {
      const ends = await Promise.allSettled(group.rows.map((row) => this.#writer.add(row)));
      const left = group.rows.filter((_, index) => {
        const end = ends[index];
        if (end?.status !== 'rejected') return false;
        if (!(end.reason instanceof DatabaseUnavailable)) {
          this.#isKept ||= this.#options.keepRejected === true;
          return false;
        }
        away = end.reason;
        return true;
      });
      this.#size -= group.rows.length - left.length;
      this.#options.journal?.costs.remove(group.rows.filter((row) => !left.includes(row)));
      group.rows = left;
    });
    await Promise.all(writing);
    return away;
  }
}

/** The calls were answered, so only an error about a row itself may keep it out of the database. */
function patient(db: Queryable): Queryable {
  return {
    async query(statement) {
      try {
        return await db.query(statement);
      } catch (error) {
        if (error instanceof DatabaseUnavailable || isAboutValues(error)) throw error;
        throw new DatabaseUnavailable(`PostgreSQL: ${(error as Error).message}`, { cause: error });
      }
    },
  };
}
