/** Reads the backlog of the installation for the metrics, at most once in a few seconds however often it is asked. */
import { readWaitingJobs } from '../administration/backlog.store.ts';
import { BATCH_JOB } from '../batches/advance-batch.ts';
import type { Database } from '../database/database.ts';
import type { Clock } from '../kernel/time.ts';
import type { InstallationBacklog } from '../telemetry/gauges.ts';
import { VIDEO_JOB } from '../video/video-state.ts';

/** Shorter than the usual interval of scrapes. */
const FRESH_MS = 2_000;

export class BacklogReader {
  readonly #db: Database;
  readonly #clock: Clock;
  #reading: Promise<InstallationBacklog | null> | null = null;
  #readAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: { readonly db: Database; readonly clock: Clock }) {
    this.#db = options.db;
    this.#clock = options.clock;
  }

  /** Null while the database is unavailable. */
  read(): Promise<InstallationBacklog | null> {
    const nowMs = this.#clock.elapsedMs();
    if (this.#reading === null || nowMs - this.#readAtMs >= FRESH_MS) {
      this.#readAtMs = nowMs;
      this.#reading = this.#ask().catch(() => null);
    }
    return this.#reading;
  }

  async #ask(): Promise<InstallationBacklog> {
    const now = this.#clock.now();
    const { jobs, quarantined } = await readWaitingJobs(this.#db);
    const kinds = [BATCH_JOB, VIDEO_JOB].map((kind) => {
      const found = jobs.find((one) => one.kind === kind);
      const oldestSeconds = found === undefined ? 0 : Math.max(0, now - found.oldestAt) / 1000;
      return { kind, waiting: found?.waiting ?? 0, failing: found?.failing ?? 0, oldestSeconds };
    });
    return { jobs: kinds, quarantinedBatches: quarantined };
  }
}
