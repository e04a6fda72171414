/**
 * Works on jobs: takes those that are due, keeps their leases while they run, and puts off those that
 * went wrong. Any number of processes may; a job is in one hand at a time, and when that hand dies
 * another takes it up after the lease.
 */
import type { Database } from '../database/database.ts';
import type { Clock, Instant } from '../kernel/time.ts';
import { claimJobs, type HeldJob, JobLeaseLost, releaseJob, renewJob } from './jobs.store.ts';

/** `ended`: the work itself removed the job, in the transaction of its effect. */
export type JobResult = 'ended' | { readonly again: Instant };

export type JobWork = (job: HeldJob, signal: AbortSignal) => Promise<JobResult>;

export interface JobRunnerOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly works: Readonly<Record<string, JobWork>>;
  readonly jobsMax: number;
  readonly onTrouble: (error: unknown, job: HeldJob | null) => void;
}

export const LEASE_MS = 10_000;
const RENEW_MS = 3_000;
const LOOK_MS = 1_000;
const CHANNEL = 'tollgate_jobs';
const RETRY = { firstMs: 1_000, maxMs: 5 * 60_000 };
const ERROR_CHARACTERS_MAX = 500;

export class JobRunner {
  readonly #options: JobRunnerOptions;
  readonly #running = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  #looking: Promise<void> | null = null;
  #lookAgain = false;
  /** Since when the database could not be asked what is due. */
  #awaySinceMs: number | null = null;
  #trustsFromMs = Number.NEGATIVE_INFINITY;
  #stopLooking: (() => void) | null = null;
  #stopListening: (() => Promise<void>) | null = null;

  constructor(options: JobRunnerOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { db, clock } = this.#options;
    this.#stopListening = await db.listen(CHANNEL, () => this.#look());
    this.#stopLooking = clock.every(LOOK_MS, () => this.#look());
    this.#look();
  }

  /** Takes no more, and lets what runs come to a good place to stop. May be called twice. */
  async stop(): Promise<void> {
    this.#stopLooking?.();
    await this.#stopListening?.();
    this.#stopping.abort();
    await this.#looking;
    await Promise.all(this.#running);
  }

  /** Takes what is due and works on it until nothing is; for tests. */
  async runOnce(): Promise<void> {
    await this.#take();
    while (this.#running.size > 0) {
      await Promise.race(this.#running);
      await this.#take();
    }
  }

  #look(): void {
    this.#lookAgain = true;
    this.#looking ??= this.#lookWhileAsked().finally(() => {
      this.#looking = null;
    });
  }

  async #lookWhileAsked(): Promise<void> {
    while (this.#lookAgain) {
      this.#lookAgain = false;
      // A database that is away is asked again at the next look.
      await this.#take().catch((error: unknown) => {
        this.#awaySinceMs ??= this.#options.clock.elapsedMs();
        this.#options.onTrouble(error, null);
      });
    }
  }

  async #take(): Promise<void> {
    const { db, clock, works, jobsMax } = this.#options;
    const free = jobsMax - this.#running.size;
    if (free <= 0 || this.#stopping.signal.aborted) return;
    const now = clock.now();
    const kinds = Object.keys(works);
    const trusting = this.#awaySinceMs === null && clock.elapsedMs() >= this.#trustsFromMs;
    const expiredBefore = trusting ? now : null;
    const jobs = await claimJobs(db, {
      ...{ kinds, now, expiredBefore },
      leaseUntil: now + LEASE_MS,
      jobsMax: free,
    });
    this.#reached();
    for (const job of jobs) {
      const running = this.#run(job).finally(() => {
        this.#running.delete(running);
        this.#look();
      });
      this.#running.add(running);
    }
  }

  /**
   * A lease that ran out while the database was away says nothing of its holder. After such a time holders get
   * the chance to renew, or their lines would be run twice.
   */
  #reached(): void {
    const nowMs = this.#options.clock.elapsedMs();
    if (this.#awaySinceMs !== null && nowMs - this.#awaySinceMs >= RENEW_MS)
      this.#trustsFromMs = nowMs + 2 * RENEW_MS;
    this.#awaySinceMs = null;
  }

  async #run(job: HeldJob): Promise<void> {
    const { db, clock, works, onTrouble } = this.#options;
    const lost = new AbortController();
    let renewedMs = clock.elapsedMs();
    const stopRenewing = clock.every(RENEW_MS, () => {
      const askedMs = clock.elapsedMs();
      // Nobody answers for the lease any more: others may have the job by now.
      if (askedMs - renewedMs >= LEASE_MS) lost.abort();
      renewJob(db, job, clock.now() + LEASE_MS).then(
        (ours) => {
          if (ours) renewedMs = Math.max(renewedMs, askedMs);
          else lost.abort();
        },
        // The next one may come through; if none does, whatever is written is refused.
        () => undefined,
      );
    });
    try {
      const signal = AbortSignal.any([this.#stopping.signal, lost.signal]);
      const result = await (works[job.kind] as JobWork)(job, signal);
      if (result !== 'ended') await this.#putOff(job, result.again);
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

  /** What is due before the next look is looked for when it is. */
  async #putOff(job: HeldJob, dueAt: Instant): Promise<void> {
    const { db, clock } = this.#options;
    await releaseJob(db, job, { dueAt, failure: null });
    const waitMs = dueAt - clock.now();
    if (waitMs > 0 && waitMs < LOOK_MS) clock.after(waitMs, () => this.#look());
  }
}

function retryMs(failures: number): number {
  return Math.min(RETRY.firstMs * 2 ** Math.min(failures, 20), RETRY.maxMs);
}
