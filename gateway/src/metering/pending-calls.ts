/**
 * Calls that are durable in the write-ahead file and not yet in the database. They are applied in large groups: when
 * enough of them wait, after a short time, and before any other statement, so that no statement misses a call whose reply
 * was delivered. Applying a call again changes nothing, so after a crash everything in the file is applied once more.
 */
import { type Database, DatabaseUnavailable, type Queryable } from '../database/database.ts';
import { type GroupWriter, RESEND_DELAY_MS } from '../database/group-writer.ts';
import { SEGMENT_MS_MAX, type WriteAheadFile } from '../database/write-ahead-file.ts';
import { type Clock, pause } from '../kernel/time.ts';
import { joinRows, rowKeys, splitRows } from './call-record.ts';
import { type CallRow, type CallWriterOptions, createCallWriter, GROUP_CALLS_MAX } from './call-writer.ts';

/** Calls are applied after this long at the latest. */
export const APPLY_MS = 250;
/** With so many, a call waits until the database has it. */
const PENDING_CALLS_HIGH = 4 * GROUP_CALLS_MAX;

export interface PendingCallsOptions extends Pick<CallWriterOptions, 'onGroup' | 'onTrouble'> {
  readonly db: Database;
  readonly file: WriteAheadFile;
  readonly clock: Clock;
  /** Leaves rows that the database rejects in the file, for a process that can log them. */
  readonly keepRejected?: boolean;
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
  /** The file has a rejected row and stays. */
  #isKept = false;
  #isStopped = false;

  constructor(options: PendingCallsOptions) {
    const { db, clock, onGroup, onTrouble } = options;
    this.#options = options;
    // A handle that does not wait for the pending calls, which would be for itself.
    const direct: Queryable = db.applyBefore?.(() => this.apply()) ?? db;
    this.#writer = createCallWriter({ db: direct, clock, onGroup, onTrouble });
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
    await this.#read();
    const sequence = await this.#options.file.append(joinRows(rows.map(({ row }) => row)));
    this.#add({ sequence, sinceMs: this.#options.clock.elapsedMs(), rows });
    this.#applySoon();
    // The database is slower than the file, so calls wait for it. While it is unavailable they do not: they are durable.
    if (this.#size >= PENDING_CALLS_HIGH) await this.#tryToApply();
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
    await file.close();
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
  }

  #applySoon(): void {
    if (this.#size >= GROUP_CALLS_MAX && this.#failingSinceMs === null) this.#applyInBackground();
    else this.#applyAfter(this.#failingSinceMs === null ? APPLY_MS : RESEND_DELAY_MS);
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
    this.#applyOnce().catch(() => this.#applyAfter(RESEND_DELAY_MS));
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
    const { clock, file } = this.#options;
    const groups = this.#nextGroups();
    const away = await this.#write(groups);
    if (away !== null) {
      this.#failingSinceMs ??= clock.elapsedMs();
      throw away;
    }
    this.#failingSinceMs = null;
    this.#groups.splice(0, groups.length);
    this.#applied = (groups.at(-1) as PendingGroup).sequence;
    if (this.#isKept) return;
    await file.release(this.#applied);
    if (this.#groups.length === 0) this.#retireLater();
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
      group.rows = left;
    });
    await Promise.all(writing);
    return away;
  }
}
