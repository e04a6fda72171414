/** Connects the metrics with the parts whose numbers they show. */
import type { RouteHealth } from '../calls/route-health.ts';
import type { RouteLoad } from '../calls/route-load.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Database } from '../database/database.ts';
import type { Clock } from '../kernel/time.ts';
import type { LogService } from '../logs/log-service.ts';
import type { Admission } from '../metering/admission.ts';
import type { OnSettled } from '../metering/settled-job.ts';
import type { Redis } from '../redis/redis.ts';
import { BATCH } from '../telemetry/call-metrics.ts';
import type { MetricSources, RouteBreaker } from '../telemetry/gauges.ts';
import { Metrics } from '../telemetry/metrics.ts';
import { BacklogReader } from './backlog-reader.ts';
import { version } from './version.ts';

export interface MeteredParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly health: RouteHealth;
  readonly load: RouteLoad;
  readonly bytes: MetricSources['bytes'];
  readonly inFlight: () => number;
  readonly unread: () => number;
  readonly catalog: () => Catalog;
  /** Null if there is none. */
  readonly redis: () => Redis | null;
  readonly logs: () => LogService | null;
  readonly unmatchedMarkup: () => number;
  readonly pendingCalls: MetricSources['pendingCalls'];
  readonly repeatable: MetricSources['repeatable'];
  readonly leftCalls: MetricSources['leftCalls'];
}

export function createMetrics({
  db,
  clock,
  health,
  load,
  bytes,
  inFlight,
  unread,
  catalog,
  redis,
  logs,
  unmatchedMarkup,
  pendingCalls,
  repeatable,
  leftCalls,
}: MeteredParts): Metrics {
  const backlog = new BacklogReader({ db, clock });
  return new Metrics({
    ...{ build: { version, engine: db.engine }, inFlight, unread, bytes, unmatchedMarkup, pendingCalls },
    ...{ repeatable, leftCalls },
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

export function countSettlements(metrics: Metrics, admission: Admission): OnSettled {
  return ({ kind, spaceId, model, result, units }) => {
    const of = {
      model,
      endpoint: kind === 'batch' ? BATCH : kind,
      spaceClass: admission.spaceClass(spaceId),
    };
    metrics.settled(kind, result);
    if (result === 'settled') metrics.calls.charged(units, of);
    // The lines of a batch were counted one by one.
    if (result === 'unpriced') metrics.calls.unpriced(of);
  };
}
