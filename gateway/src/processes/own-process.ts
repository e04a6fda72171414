/**
 * This process among the others that use the database. It registers at its start, renews its lease, and ends its entry when
 * it stops. Others finish what a process left whose lease ran out. A process that was paused for longer finds out when it
 * renews its lease, and registers again.
 */
import { hostname } from 'node:os';
import type { Queryable } from '../database/database.ts';
import { newId } from '../kernel/ids.ts';
import { RepeatingTask } from '../kernel/repeating-task.ts';
import type { Running } from '../kernel/running.ts';
import type { Clock } from '../kernel/time.ts';
import { endProcess, insertProcess, renewLease } from './processes.store.ts';

export const LEASE_MS = 15_000;
const RENEW_MS = 5_000;
/** If commits of one writer hang, the others are used. */
const WRITERS = 4;

export interface OwnProcessOptions {
  readonly db: Queryable;
  readonly clock: Clock;
  readonly version: string;
  readonly roles: string;
  readonly journal: boolean;
  readonly onTrouble?: (error: unknown) => void;
}

export class OwnProcess implements Running {
  readonly #options: OwnProcessOptions;
  readonly #renewing: RepeatingTask;
  #id = '';
  #writers: readonly number[] = [];
  #alive = 1;

  constructor(options: OwnProcessOptions) {
    this.#options = options;
    const { clock, onTrouble } = options;
    this.#renewing = new RepeatingTask({
      ...{ clock, everyMs: RENEW_MS, work: () => this.runOnce() },
      ...(onTrouble && { onTrouble }),
    });
  }

  get id(): string {
    return this.#id;
  }

  readonly writers = WRITERS;

  /** How many processes use the database, this one included. */
  alive(): number {
    return this.#alive;
  }

  /** The number of a writer of this process; 0, which nobody owns, before the start. */
  writer(place: number): number {
    return this.#writers[place] ?? 0;
  }

  async start(): Promise<void> {
    await this.#register();
    this.#renewing.start();
  }

  async runOnce(): Promise<void> {
    const now = this.#options.clock.now();
    const alive = await renewLease(this.#options.db, { id: this.#id, now, until: now + LEASE_MS });
    if (alive === null) await this.#register();
    else this.#alive = alive;
  }

  /** To be called when nothing is written any more. If the database does not answer, the lease runs out. */
  async stop(): Promise<void> {
    await this.#renewing.stop();
    if (this.#id === '') return;
    const { db, clock, onTrouble } = this.#options;
    await endProcess(db, this.#id, clock.now()).catch((error: unknown) => onTrouble?.(error));
  }

  async #register(): Promise<void> {
    const { db, clock, version, roles, journal } = this.#options;
    const now = clock.now();
    const id = newId('prc', now);
    const made = { id, host: hostname(), pid: process.pid, version, roles, journal };
    this.#writers = await insertProcess(db, { ...made, startedAt: now, leaseUntil: now + LEASE_MS }, WRITERS);
    this.#id = id;
  }
}
