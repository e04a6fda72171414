/** Reads the providers of the checked file. Pure. */
import { Secret } from '../kernel/secret.ts';
import { ConfigError } from '../yaml/config-error.ts';
import type { ConfigProblems } from '../yaml/config-problems.ts';
import type { CatalogFile } from './catalog-file.ts';
import { dialectFacts, dialects, dialectsWith, type OwnSettings, vendorFacts } from './dialects/dialects.ts';
import type { ProviderEntry } from './provider-entry.ts';
import type { ProviderSettings } from './provider-settings.ts';

export function readProviders(
  entries: CatalogFile['providers'],
  problems: ConfigProblems,
): ProviderSettings[] {
  return Object.entries(entries).flatMap(([name, entry]) => {
    if (switchedOff(entry)) return [];
    const baseUrl = entry.base_url.replace(/\/+$/, '');
    const place = `providers.${name}`;
    const wrong = (key: string, problem: string): void =>
      problems.add(ConfigError.at(`${place}.${key}`, problem));
    if (!URL.canParse(baseUrl)) wrong('base_url', 'is not a valid URL');
    const { dialect, vendor = null, region = null, simulated = false } = entry;
    const [apiKey = new Secret(''), ...moreKeys] = readKeys(name, entry, problems);
    if (vendor !== null && vendorFacts(dialect, vendor) === null)
      wrong(
        'vendor',
        `is only for the dialect ${dialectsWith(({ vendors }) => vendors?.[vendor]).join(', ')}`,
      );
    const settings = { name, dialect, vendor, region, baseUrl, apiKey, simulated };
    return [
      {
        ...settings,
        ...(entry.propagate_trace === true && { propagateTrace: true }),
        ...(moreKeys.length > 0 && { moreKeys }),
        ...readOwnKeys(name, entry, problems),
      },
    ];
  });
}

function readKeys(name: string, entry: ProviderEntry, problems: ConfigProblems): Secret[] {
  const { api_key: one = '', api_keys: several, dialect } = entry;
  if (several === undefined) return [new Secret(one)];
  const wrong = (problem: string): void =>
    problems.add(ConfigError.at(`providers.${name}.api_keys`, problem));
  if (one !== '') wrong('cannot be used together with api_key');
  if (dialectFacts[dialect].oneKey) wrong(`is not for the dialect ${dialect}; use api_key`);
  return filled(several).map((key) => new Secret(key));
}

/** What the dialect reads from keys of its own; keys of other dialects are rejected. */
function readOwnKeys(name: string, entry: ProviderEntry, problems: ConfigProblems): OwnSettings {
  const place = `providers.${name}`;
  for (const other of dialects) {
    if (other === entry.dialect) continue;
    for (const key of Object.keys(dialectFacts[other].own?.fields ?? {}))
      if (key in entry) problems.add(ConfigError.at(`${place}.${key}`, `is only for the dialect ${other}`));
  }
  const { own } = dialectFacts[entry.dialect];
  return problems.attempt(() => own?.read(entry, place) ?? null) ?? {};
}

/** How many keys it has. */
export function keyCount({ api_keys: keys }: ProviderEntry): number {
  return keys === undefined ? 1 : filled(keys).length;
}

/** Without those that are empty, because a variable is unset, and without repetitions. */
function filled(keys: readonly string[]): string[] {
  return [...new Set(keys)].filter((key) => key !== '');
}

export function switchedOff(provider: ProviderEntry): boolean {
  return provider.only_if === '';
}
