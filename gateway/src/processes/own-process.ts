/**
 * This process among the others that use the database. It registers at its start, renews its lease, and ends its entry when
 * it stops. Others finish what a process left whose lease ran out. A process that was paused for longer finds out when it
 * renews its lease, and registers again.
 */
import { hostname } from 'node:os';
import type { Database } from '../database/database.ts';
import { newId } from '../kernel/ids.ts';
import { RepeatingTask } from '../kernel/repeating-task.ts';
import type { Running } from '../kernel/running.ts';
import type { Clock } from '../kernel/time.ts';
import {
  endOtherProcesses,
  endProcess,
  insertProcess,
  type ProcessActivity,
  renewLease,
} from './processes.store.ts';

export const LEASE_MS = 15_000;
const RENEW_MS = 5_000;
/** For clocks that run at different speeds. */
const SPARE_MS = 2_000;
/** If commits of one writer hang, the others are used. */
const WRITERS = 4;

export interface OwnProcessOptions {
  readonly db: Pick<Database, 'query' | 'engine'>;
  readonly clock: Clock;
  readonly version: string;
  readonly roles: string;
  readonly journal: boolean;
  /** Said each time the lease is renewed, so that operators see what all processes do. */
  readonly activity?: () => ProcessActivity;
  readonly onTrouble?: (error: unknown) => void;
}

export class OwnProcess implements Running {
  readonly #options: OwnProcessOptions;
  readonly #renewing: RepeatingTask;
  #id = '';
  #writers: readonly number[] = [];
  #alive = 1;
  /** Until when nobody can have taken it for dead, on the monotonic scale of the clock. */
  #leasedMs = Number.NEGATIVE_INFINITY;
  #onRegistered: (() => void) | null = null;

  constructor(options: OwnProcessOptions) {
    this.#options = options;
    const { clock, onTrouble } = options;
    this.#renewing = new RepeatingTask({
      clock,
      everyMs: RENEW_MS,
      work: () => this.runOnce(),
      ...(onTrouble && { onTrouble }),
    });
  }

  get id(): string {
    return this.#id;
  }

  readonly writers = WRITERS;

  /** False if others may have finished what it left, because it could not renew its lease. */
  get isLeased(): boolean {
    return this.#options.clock.elapsedMs() < this.#leasedMs;
  }

  /** Calls `registered` each time the process gets another id. */
  onRegistered(registered: () => void): void {
    this.#onRegistered = registered;
  }

  /** How many processes use the database, this one included. */
  alive(): number {
    return this.#alive;
  }

  /** The number of a writer of this process; 0, which nobody owns, before the start. */
  writer(place: number): number {
    return this.#writers[place] ?? 0;
  }

  /**
   * Of the calls of an outage, which are applied while other calls are committed. A writer of this process, because they were
   * paid from its slices.
   */
  journalWriter(): number {
    return this.writer(WRITERS);
  }

  async start(): Promise<void> {
    await this.#register();
    this.#renewing.start();
  }

  async runOnce(): Promise<void> {
    const { db, clock } = this.#options;
    const activity = this.#options.activity?.() ?? null;
    const sentMs = clock.elapsedMs();
    const alive = await renewLease(db, { id: this.#id, leaseMs: LEASE_MS, activity });
    if (alive === null) return await this.#register();
    this.#alive = alive;
    this.#leasedMs = sentMs + LEASE_MS - SPARE_MS;
  }

  /** To be called when nothing is written any more. If the database does not answer, the lease runs out. */
  async stop(): Promise<void> {
    await this.#renewing.stop();
    if (this.#id === '') return;
    const { db, onTrouble } = this.#options;
    await endProcess(db, this.#id).catch((error: unknown) => onTrouble?.(error));
  }

  async #register(): Promise<void> {
    const { db, clock, version, roles, journal } = this.#options;
    const [now, sentMs] = [clock.now(), clock.elapsedMs()];
    const id = newId('prc', now);
    const made = { id, host: hostname(), pid: process.pid, version, roles, journal };
    const own = { ...made, startedAt: now, leaseMs: LEASE_MS };
    this.#writers = await insertProcess(db, own, WRITERS + 1);
    // An embedded database has one process, so all others are dead.
    if (db.engine === 'embedded') await endOtherProcesses(db, id);
    this.#id = id;
    this.#leasedMs = sentMs + LEASE_MS - SPARE_MS;
    this.#onRegistered?.();
  }
}
