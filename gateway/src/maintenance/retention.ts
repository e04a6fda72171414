/** Removes calls, events of alerts and lines of the audit log that are older than the configuration allows. */
import { removeAudit } from '../access/audit.store.ts';
import { removeEvents } from '../alerts/events.store.ts';
import type { Database } from '../database/database.ts';
import { DAY_MS, HOUR_MS } from '../kernel/durations.ts';
import { Sweeper } from '../kernel/sweeper.ts';
import type { Clock } from '../kernel/time.ts';
import { removeCalls } from '../metering/remove-calls.store.ts';
import type { Log } from '../telemetry/log.ts';

/** Null: forever. */
export interface RetentionDays {
  readonly calls: number | null;
  /** Rejected requests; `metering/refusals.ts` removes them. */
  readonly errors: number;
  readonly audit: number | null;
  /** Events and their deliveries. */
  readonly alerts: number;
}

export interface RetentionOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly days: RetentionDays;
}

const SWEEP_MS = HOUR_MS;

export class Retention extends Sweeper {
  readonly #stopping: AbortController;

  constructor({ db, clock, log, days }: RetentionOptions) {
    const stopping = new AbortController();
    super({
      clock,
      everyMs: SWEEP_MS,
      onTrouble: (error) => log.warn('old calls, alerts or audit lines could not be removed', { error }),
      async sweep() {
        const now = clock.now();
        const isStopping = (): boolean => stopping.signal.aborted;
        if (days.calls !== null)
          await removeCalls(db, { from: 0, until: now - days.calls * DAY_MS }, isStopping);
        if (isStopping() || (await removeEvents(db, now - days.alerts * DAY_MS))) return !isStopping();
        if (days.audit === null || isStopping()) return false;
        return (await removeAudit(db, { before: now - days.audit * DAY_MS, at: now })) > 0;
      },
    });
    this.#stopping = stopping;
  }

  /** Removing millions of calls takes minutes: it ends after the ones being removed. */
  override async stop(): Promise<void> {
    this.#stopping.abort();
    await super.stop();
  }
}
