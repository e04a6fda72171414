/**
 * Calls that were answered while PostgreSQL did not answer (`metering.journal: local`). Each process has a folder of its
 * own in the data folder, which it locks. Folders that other processes left are applied at the start.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, DatabaseUnavailable } from '../database/database.ts';
import { databaseIdentity } from '../database/database-identity.ts';
import { createLockedFolder, type LockedFolder, lockLeftFolders } from '../database/locked-folders.ts';
import { folderDisk } from '../database/write-ahead-disk.ts';
import { WriteAheadFile } from '../database/write-ahead-file.ts';
import { type Clock, pause } from '../kernel/time.ts';
import type { CallRow } from './call-writer.ts';
import { PendingCalls, type PendingCallsOptions } from './pending-calls.ts';
import { UnappliedCosts } from './unapplied-costs.ts';

/** Above either of them, new calls are rejected. */
export interface JournalBounds {
  readonly callsMax: number;
  readonly ageMsMax: number;
}

export interface CallJournalOptions extends Pick<PendingCallsOptions, 'onTrouble'> {
  readonly db: Database;
  readonly clock: Clock;
  /** The folder of all journals. */
  readonly folder: string;
  /** Null: nothing is added, and only what others left is applied. */
  readonly bounds: JournalBounds | null;
  /** The writer of the calls of this process. Those that other processes left have none. */
  readonly writer?: () => number;
  /** Called for a folder that belongs to another database. It stays. */
  readonly onForeign?: (path: string) => void;
}

/** The file in a folder that names its database. */
const IDENTITY_FILE = 'database';
/** At the start, so long is tried to apply what others left. After that it continues beside calls. */
const START_MS_MAX = 10_000;
const START_RETRY_MS = 100;

interface OpenJournal {
  readonly folder: LockedFolder;
  readonly pending: PendingCalls;
}

export class CallJournal {
  readonly costs = new UnappliedCosts();
  readonly #options: CallJournalOptions;
  readonly #own: OpenJournal | null;
  #left: OpenJournal[] = [];
  #onApplied: () => void = () => undefined;

  /** Creates the own folder, so that one that cannot be written to is noticed at the start. */
  constructor(options: CallJournalOptions) {
    this.#options = options;
    const { bounds, folder, writer } = options;
    this.#own = bounds === null ? null : this.#open(createLockedFolder(folder), writer);
  }

  /** Whether calls may be added. */
  get isOpen(): boolean {
    return this.#own !== null;
  }

  /** How many calls are not in the database yet. */
  get size(): number {
    return this.#all().reduce((sum, { pending }) => sum + pending.size, 0);
  }

  /** How long the oldest of them has waited. */
  get ageMs(): number {
    return this.#all().reduce((longest, { pending }) => Math.max(longest, pending.ageMs), 0);
  }

  /** No more calls should begin that would have to be added. */
  get isFull(): boolean {
    const { bounds } = this.#options;
    return bounds === null || this.size >= bounds.callsMax || this.ageMs > bounds.ageMsMax;
  }

  /** Sets what is called each time the database has taken a group. */
  onApplied(listener: () => void): void {
    this.#onApplied = listener;
  }

  /** Applies what other processes left. */
  async start(): Promise<void> {
    const { clock, folder } = this.#options;
    const untilMs = clock.elapsedMs() + START_MS_MAX;
    const left = lockLeftFolders(folder);
    if (this.#own === null && left.length === 0) return;
    const identity = await databaseIdentity(this.#options.db);
    if (this.#own !== null) writeIdentity(this.#own.folder, identity);
    for (const one of left) this.#adopt(one, identity);
    while (this.#left.length > 0) {
      for (const journal of [...this.#left]) await this.#finish(journal);
      if (this.#left.length === 0 || clock.elapsedMs() > untilMs) return;
      await pause(clock, START_RETRY_MS);
    }
  }

  /** Resolves when the calls are durable. Rejects with `DatabaseUnavailable` when the file cannot be written. */
  async append(rows: readonly CallRow[]): Promise<void> {
    if (this.#own === null) throw new Error('no call is added to this journal');
    await this.#own.pending.append(rows);
  }

  /** Applies everything, for at most `limitMs`. What is not in the database then is applied by the next start. */
  async stop(limitMs: number): Promise<void> {
    await Promise.all(this.#all().map((journal) => close(journal, limitMs)));
    this.#left = [];
  }

  #all(): OpenJournal[] {
    return this.#own === null ? this.#left : [this.#own, ...this.#left];
  }

  #open(folder: LockedFolder, writer?: () => number): OpenJournal {
    const { db, clock, onTrouble } = this.#options;
    const file = new WriteAheadFile({ disk: folderDisk(folder.path), clock });
    const journal = { costs: this.costs, onApplied: () => this.#onApplied() };
    const more = { journal, keepRejected: true, ...(writer && { writer }) };
    const pending = new PendingCalls({ db, clock, file, onTrouble, ...more });
    return { folder, pending };
  }

  #adopt(folder: LockedFolder, identity: string | null): void {
    const written = readIdentity(folder);
    if (written === null || identity === null || written === identity) {
      this.#left.push(this.#open(folder));
      return;
    }
    this.#options.onForeign?.(folder.path);
    folder.leave();
  }

  /** A database that does not answer is tried again; a folder that cannot be read stays. */
  async #finish(journal: OpenJournal): Promise<void> {
    try {
      await journal.pending.start();
    } catch (error) {
      if (error instanceof DatabaseUnavailable) return;
      this.#options.onTrouble?.(error, { calls: journal.pending.size });
    }
    this.#left = this.#left.filter((one) => one !== journal);
    await close(journal, 0);
  }
}

/** The folder is removed if everything in it is in the database. */
async function close({ folder, pending }: OpenJournal, limitMs: number): Promise<void> {
  await pending.stop(limitMs);
  folder.leave([IDENTITY_FILE]);
}

function writeIdentity({ path }: LockedFolder, identity: string | null): void {
  if (identity !== null) writeFileSync(join(path, IDENTITY_FILE), identity, { mode: 0o600, flush: true });
}

function readIdentity({ path }: LockedFolder): string | null {
  const file = join(path, IDENTITY_FILE);
  return (existsSync(file) && readFileSync(file, 'utf8')) || null;
}
