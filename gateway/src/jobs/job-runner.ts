/**
 * Runs jobs: claims those that are due, renews their leases while they run, and retries failed ones with backoff. Any
 * number of processes may do so. One process has a job at a time; if it dies, another claims the job after the lease.
 */

import type { Database } from '../database/database.ts';
import type { Running } from '../kernel/running.ts';
import type { Clock, Instant } from '../kernel/time.ts';
import { claimJobs, JobLeaseLost, type LeasedJob, releaseJob, renewJob } from './jobs.store.ts';

/** `ended`: the work deleted the job, in the same transaction as its effect. */
export type JobResult = 'ended' | { readonly again: Instant };

export type JobWork = (job: LeasedJob, signal: AbortSignal) => Promise<JobResult>;

export interface JobRunnerOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly works: Readonly<Record<string, JobWork>>;
  readonly jobsMax: number;
  /** How often it looks for jobs that nobody announced: retries, and those of dead processes. Default: each second. */
  readonly pollMs?: number;
  readonly onTrouble: (error: unknown, job: LeasedJob | null) => void;
}

export const JOB_LEASE_MS = 10_000;
const RENEW_MS = 3_000;
const POLL_MS = 1_000;
const CHANNEL = 'tollgate_jobs';
const RETRY = { firstMs: 1_000, maxMs: 5 * 60_000 };
const ERROR_CHARACTERS_MAX = 500;

export class JobRunner implements Running {
  readonly #options: JobRunnerOptions;
  readonly #pollMs: number;
  readonly #running = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  #polling: Promise<void> | null = null;
  #pollAgain = false;
  /** Since when the database has been unavailable. */
  #unavailableSinceMs: number | null = null;
  #trustLeasesFromMs = Number.NEGATIVE_INFINITY;
  #stopPolling: (() => void) | null = null;
  #stopListening: (() => Promise<void>) | null = null;

  constructor(options: JobRunnerOptions) {
    this.#options = options;
    this.#pollMs = options.pollMs ?? POLL_MS;
  }

  async start(): Promise<void> {
    const { db, clock } = this.#options;
    this.#stopListening = await db.listen(CHANNEL, () => this.#poll());
    this.#stopPolling = clock.every(this.#pollMs, () => this.#poll());
    this.#poll();
  }

  /** Claims no more jobs and waits for the running ones. May be called twice. */
  async stop(): Promise<void> {
    this.#stopPolling?.();
    await this.#stopListening?.();
    this.#stopping.abort();
    await this.#polling;
    await Promise.all(this.#running);
  }

  /** Runs jobs until none is due; for tests. */
  async runOnce(): Promise<void> {
    await this.#claimDue();
    while (this.#running.size > 0) {
      await Promise.race(this.#running);
      await this.#claimDue();
    }
  }

  #poll(): void {
    this.#pollAgain = true;
    this.#polling ??= this.#pollWhileRequested().finally(() => {
      this.#polling = null;
    });
  }

  async #pollWhileRequested(): Promise<void> {
    while (this.#pollAgain) {
      this.#pollAgain = false;
      // An unavailable database is asked again at the next poll.
      await this.#claimDue().catch((error: unknown) => {
        this.#unavailableSinceMs ??= this.#options.clock.elapsedMs();
        this.#options.onTrouble(error, null);
      });
    }
  }

  async #claimDue(): Promise<void> {
    const { db, clock, works, jobsMax } = this.#options;
    const free = jobsMax - this.#running.size;
    if (free <= 0 || this.#stopping.signal.aborted) return;
    const now = clock.now();
    const kinds = Object.keys(works);
    const trustLeases = this.#unavailableSinceMs === null && clock.elapsedMs() >= this.#trustLeasesFromMs;
    const expiredBefore = trustLeases ? now : null;
    const jobs = await claimJobs(db, {
      kinds,
      now,
      expiredBefore,
      leaseUntil: now + JOB_LEASE_MS,
      jobsMax: free,
    });
    this.#onDatabaseAnswer();
    for (const job of jobs) {
      const running = this.#run(job).finally(() => {
        this.#running.delete(running);
        this.#poll();
      });
      this.#running.add(running);
    }
  }

  /**
   * While the database was unavailable no lease could be renewed, so an expired lease does not mean that its process
   * died. Those processes get time to renew before their jobs are claimed, or lines would run twice.
   */
  #onDatabaseAnswer(): void {
    const nowMs = this.#options.clock.elapsedMs();
    if (this.#unavailableSinceMs !== null && nowMs - this.#unavailableSinceMs >= RENEW_MS)
      this.#trustLeasesFromMs = nowMs + 2 * RENEW_MS;
    this.#unavailableSinceMs = null;
  }

  async #run(job: LeasedJob): Promise<void> {
    const { db, clock, works, onTrouble } = this.#options;
    const lost = new AbortController();
    let renewedMs = clock.elapsedMs();
    const stopRenewing = clock.every(RENEW_MS, () => {
      const askedMs = clock.elapsedMs();
      // The lease could not be renewed in time: another process may have the job now.
      if (askedMs - renewedMs >= JOB_LEASE_MS) lost.abort();
      renewJob(db, job, clock.now() + JOB_LEASE_MS).then(
        (ours) => {
          if (ours) renewedMs = Math.max(renewedMs, askedMs);
          else lost.abort();
        },
        // The next renewal may succeed; if none does, later writes are rejected.
        () => undefined,
      );
    });
    try {
      const signal = AbortSignal.any([this.#stopping.signal, lost.signal]);
      const result = await (works[job.kind] as JobWork)(job, signal);
      if (result !== 'ended') await this.#release(job, result.again);
    } catch (error) {
      if (error instanceof JobLeaseLost) return;
      onTrouble(error, job);
      const failure = String((error as Error)?.message ?? error).slice(0, ERROR_CHARACTERS_MAX);
      await releaseJob(db, job, { dueAt: clock.now() + retryMs(job.failures), failure }).catch(
        () => undefined,
      );
    } finally {
      stopRenewing();
    }
  }

  /** A job that is due before the next poll gets a timer of its own. */
  async #release(job: LeasedJob, dueAt: Instant): Promise<void> {
    const { db, clock } = this.#options;
    await releaseJob(db, job, { dueAt, failure: null });
    const waitMs = dueAt - clock.now();
    if (waitMs > 0 && waitMs < this.#pollMs) clock.after(waitMs, () => this.#poll());
  }
}

function retryMs(failures: number): number {
  return Math.min(RETRY.firstMs * 2 ** Math.min(failures, 20), RETRY.maxMs);
}
