/**
 * The part of a file with mistakes that can still be checked. A mistake in one entry is reported once: what depends on
 * that entry is left out, so that nothing is reported that is only a consequence.
 */

import type { PriceEntry } from '../price-sheets/price-entry.ts';
import type { ConfigFile } from './config-shape.ts';

/** `leftOut` are the sections and entries that could not be read. */
export function soundPart(file: Partial<ConfigFile>, leftOut: ReadonlySet<string>): ConfigFile {
  const { sign_in, prices, provider_prices, ...settings } = file;
  // Issuers need the public address of the server.
  const needsServer = (sign_in?.issuers?.length ?? 0) > 0;
  const signIn = sign_in !== undefined && !(needsServer && leftOut.has('server')) ? { sign_in } : {};
  const rest = { ...settings, ...signIn };
  if (leftOut.has('providers') || leftOut.has('models') || !file.providers || !file.models)
    return { ...rest, providers: {}, models: {} };
  const read = { ...file, providers: file.providers, models: file.models };
  const models = soundModels(read, leftOut);
  const whole = Object.keys(models).length === Object.keys(file.models).length && !anyOf(leftOut, 'models.');
  const routes = new Set(
    Object.values(models).flatMap((model) => model.routes.map((route) => `${route.provider}/${route.model}`)),
  );
  const priced = (code: string): boolean => code in models || (whole && !leftOut.has(`models.${code}`));
  const readable = (code: string): boolean => hasReadablePrice(code, read, leftOut);
  return {
    ...rest,
    providers: file.providers,
    models,
    ...(prices !== undefined && {
      prices: {
        ...prices,
        models: kept(prices.models, (code) => priced(code) && readable(code)),
      },
    }),
    ...(provider_prices !== undefined && {
      provider_prices: {
        ...provider_prices,
        models: kept(provider_prices.models, (name) => whole || routes.has(name)),
      },
    }),
  };
}

/** Without those of an unreadable provider. Whether a batch has a price is only asked if the price could be read. */
function soundModels(file: ConfigFile, leftOut: ReadonlySet<string>): ConfigFile['models'] {
  const sound = kept(
    file.models,
    (code) => !file.models[code]?.routes.some(({ provider }) => leftOut.has(`providers.${provider}`)),
  );
  return Object.fromEntries(
    Object.entries(sound).map(([code, model]) => {
      if (hasReadablePrice(code, file, leftOut)) return [code, model];
      const { batch: _, batch_requires: __, ...rest } = model;
      return [code, rest];
    }),
  );
}

function hasReadablePrice(code: string, file: ConfigFile, leftOut: ReadonlySet<string>): boolean {
  if (leftOut.has('prices') || leftOut.has(`prices.models.${code}`)) return false;
  const entry = file.prices?.models[code] as PriceEntry | undefined;
  return entry?.from_provider === undefined || hasReadableCost(code, file, leftOut);
}

/** Of every route, what the provider charges. */
function hasReadableCost(code: string, file: ConfigFile, leftOut: ReadonlySet<string>): boolean {
  const routes = file.models[code]?.routes ?? [];
  return (
    !leftOut.has('provider_prices') &&
    !routes.some(({ provider, model }) => leftOut.has(`provider_prices.models.${provider}/${model}`))
  );
}

function anyOf(leftOut: ReadonlySet<string>, start: string): boolean {
  return [...leftOut].some((path) => path.startsWith(start));
}

function kept<Value>(
  entries: Readonly<Record<string, Value>>,
  keep: (name: string) => boolean,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(entries).filter(([name]) => keep(name)));
}
