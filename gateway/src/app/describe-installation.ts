/** What a running server says about itself to operations of administration. */
import type { InstallationView, ModelsOf, ProvidersOf } from '../administration/installation-view.ts';
import type { RouteHealth } from '../calls/route-health.ts';
import { aliasObject, type Catalog, modelObject } from '../catalog/catalog.ts';
import type { Clock } from '../kernel/time.ts';
import type { BillingOf } from '../metering/bill-later.ts';
import type { Redis } from '../redis/redis.ts';
import { shownAddress } from './secrets-of-settings.ts';
import type { Settings } from './settings.ts';
import { version } from './version.ts';

export interface DescribedParts {
  readonly settings: Settings;
  readonly catalog: () => Catalog;
  readonly health: RouteHealth;
  readonly inFlight: () => number;
  readonly ready: () => boolean;
  readonly redis: () => Redis | null;
}

/** The models of a space, with their prices, and the aliases of the configuration. */
export function modelsIn(catalog: () => Catalog, clock: Pick<Clock, 'now'>): ModelsOf {
  return async (spaceName) => {
    const user = { spaceName, models: null };
    const now = clock.now();
    return [
      ...catalog()
        .list(user)
        .map((model) => modelObject(model, user, now)),
      ...catalog()
        .listAliases(user)
        .map((alias) => aliasObject(alias, user, now)),
    ];
  };
}

function providersIn(catalog: () => Catalog): ProvidersOf {
  return async () => catalog().providers.map(({ name }) => name);
}

/** What providers charge for the routes of models. */
export function billingIn(catalog: () => Catalog): BillingOf {
  return async ({ model, provider, upstreamModel }) => {
    const routes = catalog().models.get(model)?.routes ?? [];
    const route = routes.find((one) => one.provider === provider && one.upstreamModel === upstreamModel);
    return route?.billing ?? null;
  };
}

/** What operations ask about the configuration. */
export function configuredIn(catalog: () => Catalog, clock: Pick<Clock, 'now'>) {
  return {
    models: modelsIn(catalog, clock),
    providers: providersIn(catalog),
    billing: billingIn(catalog),
    unitValue: async () => catalog().unitValue,
  };
}

export function describeInstallation(parts: DescribedParts): InstallationView {
  return {
    version,
    demo: parts.settings.demo,
    health: () => healthOf(parts),
    config: () => configOf(parts.settings, parts.catalog()),
    workloadIssuers: () => parts.settings.workloadIssuers.map(({ name }) => name),
    unitsPerCurrency: () => parts.catalog().unitsPerCurrency,
  };
}

function healthOf({ catalog, health, inFlight, ready, redis }: DescribedParts) {
  const { models, providers } = catalog();
  const open = new Set(health.open());
  const routes = [...models.values()].flatMap((model) =>
    model.routes.map((route) => ({
      model: model.code,
      provider: route.provider,
      upstream_model: route.upstreamModel,
      priority: route.priority,
      weight: route.weight,
      state: open.has(route.id) ? ('open' as const) : ('closed' as const),
    })),
  );
  const connection = redis();
  return {
    ready: ready(),
    in_flight: inFlight(),
    providers: providers.map(({ name, dialect, simulated }) => ({
      name,
      dialect,
      simulated,
      open_routes: routes.filter((route) => route.provider === name && route.state === 'open').length,
    })),
    routes,
    callers_held_back: health.heldBack(),
    redis: connection === null ? null : connection.away ? 'away' : 'connected',
  };
}

/** Built field by field, so that a new setting with a secret is not shown by accident. */
function configOf(settings: Settings, catalog: Catalog) {
  const { databaseUrl, redisUrl, s3 } = settings;
  const models = [...catalog.models.values()];
  return {
    file: settings.configFile,
    demo: settings.demo,
    listens: `${settings.host}:${settings.port}`,
    public_url: settings.publicUrl,
    data_folder: settings.dataFolder,
    database: databaseUrl === null ? 'embedded' : shownAddress(databaseUrl),
    redis: redisUrl === null ? null : shownAddress(redisUrl),
    bucket: s3?.bucket ?? null,
    log_level: settings.logLevel,
    price_version: catalog.priceSheet.version,
    providers: catalog.providers.map(({ name, dialect, simulated, baseUrl }) => ({
      name,
      dialect,
      simulated,
      base_url: withoutCredentials(baseUrl),
    })),
    models: models.map(({ code }) => code),
    unpriced_models: models.filter(({ prices }) => prices.length === 0).map(({ code }) => code),
    limits: { ...settings.limits } as Record<string, number>,
  };
}

function withoutCredentials(address: string): string {
  if (!URL.canParse(address)) return '(not a URL)';
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname}`;
}
