/** Builds the catalogue from the checked file and rejects inconsistent settings. Pure. */
import { batchKinds, callKinds, type ModelEndpoint, textKinds } from '../contract/paid-endpoints.ts';
import { type Instant, unixSecondsOf } from '../kernel/time.ts';
import { type PriceSheets, readSheets } from '../price-sheets/read-sheets.ts';
import { readUnitValue } from '../price-sheets/read-unit-value.ts';
import { batchPrice, type ModelPrice, type PriceList, priceInHours } from '../pricing/model-price.ts';
import { resolvePrices } from '../pricing/resolve-prices.ts';
import { ConfigError, unknownName } from '../yaml/config-error.ts';
import { ConfigProblems } from '../yaml/config-problems.ts';
import { Catalog } from './catalog.ts';
import type { CatalogFile } from './catalog-file.ts';
import { checkFallbacks } from './check-fallbacks.ts';
import { dialectFacts, dialectsWith } from './dialects/dialects.ts';
import type { Model, UpstreamRoute } from './model.ts';
import { modelDefaults } from './model-defaults.ts';
import type { ModelEntry } from './model-entry.ts';
import { traitsOf } from './model-families.ts';
import type { ProviderEntry } from './provider-entry.ts';
import { readAliasNames } from './read-aliases.ts';
import { keyCount, readProviders, switchedOff } from './read-providers.ts';
import { readTakes } from './takes-entry.ts';

/** The other parts of the file that a model depends on. */
interface Context {
  readonly routes: readonly UpstreamRoute[];
  readonly providers: CatalogFile['providers'];
  readonly sheets: PriceSheets;
  readonly updatedAt: Instant;
  readonly problems: ConfigProblems;
}

/** `updatedAt` is the date of models without one. Throws an error that names everything that is wrong. */
export function readCatalog(file: CatalogFile, updatedAt: Instant): Catalog {
  const problems = new ConfigProblems();
  const sheets = readSheets(file);
  const models = Object.entries(file.models).flatMap(([code, entry]) => {
    const routes = readRoutes(code, entry, { providers: file.providers, sheets, problems });
    // A model is left out if all its providers are switched off.
    return routes.length === 0
      ? []
      : [readModel(code, entry, { routes, sheets, updatedAt, providers: file.providers, problems })];
  });
  checkFallbacks(file.models, models, problems);
  const aliases = readAliasNames(file, models, problems);
  const providers = readProviders(file.providers, problems);
  const unitValue = problems.attempt(() => readUnitValue(file.money));
  problems.throwAny();
  return new Catalog({
    providers,
    priceSheet: sheets.charged,
    providerSheet: sheets.billed,
    unitsPerCurrency: sheets.unitsPerCurrency,
    unitValue,
    models,
    aliases,
  });
}

function readRoutes(
  code: string,
  entry: ModelEntry,
  { providers, sheets, problems }: Pick<Context, 'providers' | 'sheets' | 'problems'>,
): UpstreamRoute[] {
  return entry.routes.flatMap((route, i) => {
    const provider = providers[route.provider];
    if (provider === undefined) {
      problems.add(
        unknownName(`models.${code}.routes[${i}].provider`, route.provider, Object.keys(providers)),
      );
      return [];
    }
    if (switchedOff(provider)) return [];
    const { priority = modelDefaults.priority, weight = modelDefaults.weight } = route;
    const billing = sheets.billing.get(`${route.provider}/${route.model}`);
    const found = { id: `${code}/${i}`, provider: route.provider, upstreamModel: route.model };
    const hashKey = hashKeyOf(route, entry.routes.slice(0, i));
    const keys = keyCount(provider);
    const { dialect, vendor = null } = provider;
    const takes = readTakes(traitsOf({ dialect, vendor, upstreamModel: route.model }), route.takes);
    return [
      {
        ...found,
        priority,
        weight,
        hashKey,
        takes,
        ...(keys > 1 && { keys }),
        ...(route.concurrency_max !== undefined && { concurrencyMax: route.concurrency_max }),
        ...(billing !== undefined && { billing }),
      },
    ];
  });
}

type RouteEntry = ModelEntry['routes'][number];

/** Numbered if there are several alike. */
function hashKeyOf({ provider, model }: RouteEntry, before: readonly RouteEntry[]): string {
  const alike = before.filter((other) => other.provider === provider && other.model === model).length;
  return `${provider}/${model}${alike === 0 ? '' : ` ${alike}`}`;
}

function readModel(code: string, entry: ModelEntry, context: Context): Model {
  const { problems } = context;
  const added = entry.added === undefined ? context.updatedAt : Date.parse(`${entry.added}T00:00:00Z`);
  if (Number.isNaN(added)) problems.add(ConfigError.at(`models.${code}.added`, 'is not a date'));
  const endpoints = readEndpoints(code, entry, problems);
  const prices = context.sheets.prices.get(code) ?? [];
  const markups = context.sheets.markups.get(code);
  const batch = entry.batch !== undefined && entry.batch !== 'false';
  problems.attempt(() => checkBatch(code, entry, { batch, endpoints, prices }));
  if (entry.batch === 'provider') problems.attempt(() => checkBatchProvider(code, context));
  problems.attempt(() => checkOnlyEndpoint(code, endpoints, context));
  const oneOf = (key: string, chosen: string | undefined, offered: readonly string[] | undefined) =>
    problems.attempt(() => readDefault(`models.${code}.images.${key}`, chosen, offered));
  return {
    code,
    createdSeconds: unixSecondsOf(added),
    endpoints,
    capabilities: new Set(entry.capabilities ?? modelDefaults.capabilities),
    supportsBatch: batch,
    batchEngine: entry.batch === 'provider' ? 'provider' : 'own',
    batchRequires: entry.batch_requires ?? null,
    contextTokens: entry.context_tokens ?? null,
    outputTokensMax: entry.output_tokens_max ?? null,
    outputCapField: entry.output_cap_field ?? outputCapOf(context.routes),
    embedding: {
      inputTokensMax: entry.embeddings?.input_tokens_max ?? null,
      inputsMax: entry.embeddings?.inputs_max ?? null,
      totalTokensMax: entry.embeddings?.total_tokens_max ?? null,
    },
    image: {
      sizes: entry.images?.sizes ?? null,
      qualities: entry.images?.qualities ?? null,
      backgrounds: entry.images?.backgrounds ?? null,
      sizeDefault: oneOf('size_default', entry.images?.size_default, entry.images?.sizes),
      qualityDefault: oneOf('quality_default', entry.images?.quality_default, entry.images?.qualities),
      imagesMax: entry.images?.images_max ?? modelDefaults.imagesMax,
    },
    video: {
      seconds: entry.video?.seconds ?? null,
      secondsDefault: entry.video?.seconds_default ?? entry.video?.seconds?.[0] ?? null,
      resolutions: entry.video?.resolutions ?? null,
      aspectRatios: entry.video?.aspect_ratios ?? null,
      inputs: new Set(entry.video?.inputs),
      referencesMax: entry.video?.references_max ?? modelDefaults.referencesMax,
      videosMax: entry.video?.videos_max ?? modelDefaults.videosMax,
    },
    spaces: entry.spaces === undefined ? null : new Set(entry.spaces),
    prices,
    ...(markups !== undefined && { markups }),
    priceVersion: context.sheets.charged.version,
    routes: context.routes,
    ...(entry.strategy !== undefined && { strategy: entry.strategy }),
    ...(entry.fallbacks !== undefined && {
      fallbacks: entry.fallbacks.map(({ model, on }) => ({ model, on: new Set(on) })),
    }),
  };
}

/** Null if its routes take the cap in different fields. */
function outputCapOf(routes: readonly UpstreamRoute[]): Model['outputCapField'] {
  const fields = new Set(routes.map(({ takes }) => takes?.outputCapField ?? null));
  const [field = null] = fields;
  return fields.size === 1 ? field : null;
}

function readDefault(
  path: string,
  chosen: string | undefined,
  offered: readonly string[] | undefined,
): string | null {
  if (chosen === undefined) return null;
  if (offered === undefined || offered.includes(chosen)) return chosen;
  throw ConfigError.at(path, `is ${chosen}, which is not one of ${offered.join(', ')}`);
}

/** The messages format cannot return images, so they would be lost silently. */
function readEndpoints(
  code: string,
  entry: ModelEntry,
  problems: ConfigProblems,
): ReadonlySet<ModelEndpoint> {
  const makesImages = entry.capabilities?.includes('image_output') ?? false;
  // Text is what a model makes by default.
  const { endpoints = textKinds.filter((name) => name !== 'messages' || !makesImages) } = entry;
  const wrong = (key: string, problem: string): void =>
    problems.add(ConfigError.of(`models.${code}.${key}`, problem));
  if (makesImages && endpoints.includes('messages'))
    wrong('endpoints', 'a model with image_output cannot be called on messages');
  if (endpoints.includes('images') && entry.spaces !== undefined)
    wrong('spaces', 'image models are visible to every space; remove spaces');
  return new Set(endpoints);
}

/** Rejects settings with which batches could be accepted but never run or settled. */
function checkBatch(
  code: string,
  entry: ModelEntry,
  model: { batch: boolean; endpoints: ReadonlySet<ModelEndpoint>; prices: PriceList },
): void {
  const { batch, endpoints, prices } = model;
  if (entry.batch_requires !== undefined && !(batch && endpoints.has('responses'))) {
    throw ConfigError.at(
      `models.${code}.batch_requires`,
      'is only for models of the endpoint responses with batch: true',
    );
  }
  if (!batch) return;
  if (!batchKinds.some((name) => endpoints.has(name))) {
    throw ConfigError.of(`models.${code}.batch`, `batches are for ${batchKinds.join(', ')} only`);
  }
  const writes = batchKinds.some((kind) => endpoints.has(kind) && callKinds[kind].makes === 'text');
  const unpriced = prices.findIndex(({ price }) => !hasBatchPrice(price, writes));
  if (unpriced < 0) return;
  const needed = writes ? 'batch_input and batch_output' : 'batch_input';
  throw ConfigError.at(
    `prices.models.${code}${prices.length === 1 ? '' : `[${unpriced}]`}`,
    `needs ${needed}, or a rule with batch: true, because the model has batch: ${entry.batch}`,
  );
}

/** Whether every batch has a price, whatever its tier or length. A price at one time of day is a price at all times. */
function hasBatchPrice(price: ModelPrice, writes: boolean): boolean {
  const resolved = resolvePrices(batchPrice(priceInHours(price, 0)), {
    contextTokens: 0,
    tier: null,
    geo: null,
  });
  const { input, output } = resolved?.steps[0]?.tokens ?? {};
  return input !== undefined && (!writes || output !== undefined);
}

function checkBatchProvider(code: string, { routes, providers }: Context): void {
  const batchDialects = dialectsWith(({ batches }) => batches);
  if (routes.some(({ provider }) => batchDialects.includes((providers[provider] as ProviderEntry).dialect)))
    return;
  throw ConfigError.of(
    `models.${code}.batch`,
    `none of its providers runs batches itself (${batchDialects.join(', ')}); write own`,
  );
}

/** Some dialects are for one endpoint alone. */
function checkOnlyEndpoint(
  code: string,
  endpoints: ReadonlySet<ModelEndpoint>,
  { routes, providers }: Context,
): void {
  for (const { provider } of routes) {
    const entry = providers[provider];
    const only = entry === undefined ? undefined : dialectFacts[entry.dialect].only;
    if (only === undefined || (endpoints.size === 1 && endpoints.has(only))) continue;
    throw ConfigError.at(
      `models.${code}.endpoints`,
      `must be [${only}]: its provider ${provider} makes nothing else`,
    );
  }
}
