/** Builds what notices events and delivers alerts in a process. */
import { AlertSender } from '../alerts/deliver-alert.ts';
import type { NewEvent } from '../alerts/event.ts';
import { DELIVERY_JOB, raiseEvents } from '../alerts/events.store.ts';
import { noticeExpiringKeys } from '../alerts/expiring-keys.store.ts';
import type { Notice } from '../alerts/notice.ts';
import { noticeEvents } from '../alerts/notice-sweep.ts';
import { NOTICE_JOB } from '../alerts/targets.store.ts';
import type { RouteHealth } from '../calls/route-health.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Database } from '../database/database.ts';
import type { JobWork } from '../jobs/job-runner.ts';
import type { BackgroundTasks } from '../kernel/background-tasks.ts';
import { HOUR_MS } from '../kernel/durations.ts';
import { type Clock, kstOf } from '../kernel/time.ts';
import { noticeExpiringUnits, noticeLowBalances } from '../ledger/unit-notices.store.ts';
import { noticeUsedBudgets } from '../metering/budgets/budget-notices.store.ts';
import { noticeUnpricedCalls, noticeUsedLimits } from '../metering/limit-notices.store.ts';
import { noticeUnusualSpend } from '../metering/unusual-spend.store.ts';
import { AddressGuard } from '../net/address-guard.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Settings } from './settings.ts';

export interface AlertPartsOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly metrics: Metrics;
  readonly background: BackgroundTasks;
  readonly catalog: () => Catalog;
  readonly health: RouteHealth;
}

/** What rooms notice in their tables. */
const notices: readonly Notice[] = [
  noticeUsedLimits,
  noticeUsedBudgets,
  noticeLowBalances,
  noticeExpiringUnits,
  noticeExpiringKeys,
  noticeUnpricedCalls,
  noticeUnusualSpend,
];

/** The work of jobs; what is known of routes is reported by every process. */
export function createAlerts(options: AlertPartsOptions): Readonly<Record<string, JobWork>> {
  const { db, clock, settings, metrics } = options;
  const onRaised = (events: readonly NewEvent[]): void => {
    for (const { kind } of events) metrics.alerts.raised(kind);
  };
  options.health.onDown(reportRoutes(options, onRaised));
  const guard = new AddressGuard({ allowed: settings.alerts.allowHosts });
  const delivery = new AlertSender({
    db,
    clock,
    network: { guard, proxies: settings.proxies },
    smtp: settings.alerts.smtp,
    publicUrl: settings.publicUrl,
    unitValue: () => options.catalog().unitValue,
    onAttempt: (type, result) => metrics.alerts.sent(type, result),
  });
  return {
    [NOTICE_JOB.kind]: (job) => noticeEvents(job, { db, clock, notices, onRaised }),
    [DELIVERY_JOB]: (job, signal) => delivery.run(job, signal),
  };
}

/** Once for each route and hour, over all processes. */
function reportRoutes(
  { db, clock, catalog, background }: AlertPartsOptions,
  onRaised: (events: readonly NewEvent[]) => void,
): (routeId: string) => void {
  const reported = new Map<string, string>();
  return (routeId) => {
    const now = clock.now();
    const hour = kstOf(now - (now % HOUR_MS));
    if (reported.get(routeId) === hour) return;
    reported.set(routeId, hour);
    const event = routeEvent(catalog(), routeId, hour);
    if (event === null) return;
    background.run('alert', async () =>
      onRaised(await db.transaction((tx) => raiseEvents(tx, [event], now))),
    );
  };
}

/** Null: the configuration has no such route now. */
function routeEvent({ models }: Catalog, routeId: string, hour: string): NewEvent | null {
  for (const { code, routes } of models.values()) {
    const route = routes.find(({ id }) => id === routeId);
    if (route === undefined) continue;
    const data = { model: code, provider: route.provider, upstream_model: route.upstreamModel };
    return { kind: 'route.down', spaceId: null, subject: routeId, period: hour, threshold: '', data };
  }
  return null;
}
