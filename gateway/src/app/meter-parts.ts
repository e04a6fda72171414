/** Connects the metrics with the parts whose numbers they show. */
import { readWaitingJobs } from '../administration/backlog.store.ts';
import { DELIVERY_JOB } from '../alerts/events.store.ts';
import { BATCH_JOB } from '../batches/advance-batch.ts';
import type { RouteHealth } from '../calls/route-health.ts';
import type { RouteLoad } from '../calls/route-load.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Database } from '../database/database.ts';
import type { Clock } from '../kernel/time.ts';
import type { LogService } from '../logs/log-service.ts';
import { figuresByKind } from '../metering/purses/purse-figures.ts';
import type { OnSettled } from '../metering/settled-job.ts';
import type { Redis } from '../redis/redis.ts';
import { BATCH } from '../telemetry/call-metrics.ts';
import type { InstallationBacklog, MetricSources, RouteBreaker } from '../telemetry/gauges.ts';
import { Metrics } from '../telemetry/metrics.ts';
import { VIDEO_JOB } from '../video/video-state.ts';
import type { ChargingParts } from './charging-parts.ts';
import { version } from './version.ts';

/** What the metrics show as it is. */
type PlainSources = Pick<
  MetricSources,
  'inFlight' | 'unread' | 'bytes' | 'unmatchedMarkup' | 'pendingCalls' | 'repeatable' | 'leftCalls' | 'purses'
>;

export interface MeteredParts extends PlainSources {
  readonly db: Database;
  readonly clock: Clock;
  readonly health: RouteHealth;
  readonly load: RouteLoad;
  readonly catalog: () => Catalog;
  /** Null if there is none. */
  readonly redis: () => Redis | null;
  readonly logs: () => LogService | null;
}

export function createMetrics(parts: MeteredParts): Metrics {
  const { db, clock, health, load, catalog, redis, logs, ...sources } = parts;
  const backlog = new BacklogReader({ db, clock });
  return new Metrics({
    ...sources,
    build: { version, engine: db.engine },
    openRoutes: () => health.open().length,
    queued: () => load.waiting(),
    breakers: () => breakersOf(catalog(), health),
    callersHeldBack: () => health.heldBack(),
    redisAway: () => (redis()?.away ? 1 : 0),
    logFollowers: () => logs()?.streams ?? 0,
    backlog: () => backlog.read(),
  });
}

/** The breaker of every route of the catalogue. */
function breakersOf({ models }: Catalog, health: RouteHealth): RouteBreaker[] {
  const states = health.states();
  return [...models.values()].flatMap(({ code, routes }) =>
    routes.map(({ id, provider }) => {
      return { model: code, route: id, provider, state: states.get(id) ?? 0 };
    }),
  );
}

/** `charging` is built after the metrics. */
export function purseSources(
  charging: () => Pick<ChargingParts, 'book' | 'activity'>,
): MetricSources['purses'] {
  return {
    kinds: () => figuresByKind(charging().book),
    asked: () => charging().book.asked,
    activity: () => charging().activity(),
  };
}

export function countSettlements(metrics: Metrics): OnSettled {
  return ({ kind, spaceClass, model, result, units, alerted }) => {
    const of = { model, endpoint: kind === 'batch' ? BATCH : kind, spaceClass };
    metrics.settled(kind, result);
    if (alerted) metrics.alerts.raised('settlement.quarantined');
    if (result === 'settled') metrics.calls.charged(units, of);
    // The lines of a batch were counted one by one.
    if (result === 'unpriced') metrics.calls.unpriced(of);
  };
}

/** Shorter than the usual interval of scrapes. */
const FRESH_MS = 2_000;

/** Reads the backlog of the installation for the metrics, at most once in a few seconds however often it is asked. */
class BacklogReader {
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
    const waiting = (kind: string) => {
      const found = jobs.find((one) => one.kind === kind);
      const oldestSeconds = found === undefined ? 0 : Math.max(0, now - found.oldestAt) / 1000;
      return { kind, waiting: found?.waiting ?? 0, failing: found?.failing ?? 0, oldestSeconds };
    };
    const kinds = [BATCH_JOB, VIDEO_JOB].map(waiting);
    const undeliveredSeconds = waiting(DELIVERY_JOB).oldestSeconds;
    return { jobs: kinds, quarantinedBatches: quarantined, undeliveredSeconds };
  }
}
